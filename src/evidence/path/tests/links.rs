//! Files with several names.

use super::*;

#[test]
fn hard_links_keep_the_content_until_the_last_name_goes() {
    let world = MemoryWorld::new().file("/home/me/d/a", "x").hard_link("/home/me/d/b", "/home/me/d/a");
    assert_eq!(delete(&world, file("/home/me/d/a")), LossClass::Copied);
    assert_eq!(delete(&world, tree("/home/me/d")), LossClass::Lost);
    assert_eq!(worst(&world, Action::Replace, file("/home/me/d/a")), LossClass::Lost, "written in place");
    let mut session = Session::new();
    let mut one_by_one =
        |path| collect(&mutation(Action::Delete, file(path)), &world, &mut session).loss.unwrap().worst();
    assert_eq!(one_by_one("/home/me/d/a"), LossClass::Copied);
    assert_eq!(one_by_one("/home/me/d/a"), LossClass::Copied, "the same name twice is one name");
    assert_eq!(one_by_one("/home/me/d/b"), LossClass::Lost);
}

#[test]
fn a_name_in_a_temporary_directory_keeps_nothing() {
    let world = MemoryWorld::new().file("/home/me/a", "x").hard_link("/tmp/deep/b", "/home/me/a");
    assert_eq!(delete(&world, file("/home/me/a")), LossClass::Lost);
    let world = world.hard_link("/home/me/c", "/home/me/a");
    assert_eq!(delete(&world, file("/home/me/a")), LossClass::Copied);
}
