//! What the kernel offers to whoever wants to look before content or a name goes: a filter of system calls that asks, and
//! waits for the answer (seccomp's user notification, Linux 5.5 and later).
//!
//! Owns the filter, the questions and the answers; what is kept is not its business. What loses something is answered with "go
//! on". Two calls get an error: the one that makes rings of calls, which no filter sees (`io_uring`), and the one that opens
//! for writing what no path names (`open_by_handle_at`): programs then go the way that each of them has for kernels without
//! it. Where asked to, it asks about reading too, and answers that with an open file or an error.
//!
//! The only room with `unsafe`: neither nix nor rustix wraps these calls, and each stands here alone.
#![allow(unsafe_code)]

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::zeroed;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::process::CommandExt;
use std::process::Command;
use std::ptr::from_mut;
use std::time::{Duration, Instant};

use nix::libc;
use nix::sys::signal::{SigHandler, SigSet, SigmaskHow, Signal, sigprocmask};
use nix::sys::socket::{ControlMessage, ControlMessageOwned, MsgFlags, UnixAddr, recvmsg, sendmsg};
use nix::sys::uio::{RemoteIoVec, process_vm_readv};
use nix::unistd::{ForkResult, Pid, fork};

use super::calls::{self, Kind};

/// Longest path that the kernel takes.
const PATH: usize = 4096;
/// Memory is mapped in pieces of this size: a text that ends in one may have nothing behind it.
const PAGE: u64 = 4096;

/// A path of a question: a directory's descriptor, and where the text is in the asking program's memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Named {
    /// The descriptor, or [`HERE`].
    pub dir: i32,
    /// Where the text begins.
    pub text: u64,
}

/// In the place of a descriptor: the program's working directory.
pub(super) const HERE: i32 = libc::AT_FDCWD;

/// What a program is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Act {
    /// Opens for writing, or cuts off.
    Write(Named),
    /// Opens for adding to it.
    Add(Named),
    /// Opens for reading; with `true`, for this program alone.
    Read(Named, bool),
    /// Cuts off what is open by this descriptor.
    Cut(i32),
    /// Takes a name away.
    Remove(Named),
    /// Gives another name, in the place of what stands there; with `true` only where nothing stands.
    Rename(Named, Named, bool),
    /// Has two names change places.
    Exchange(Named, Named),
    /// Gives a further name to a file: to what a link leads to with `true`.
    Link(Named, Named, bool),
    /// Changes mode or owner.
    Rights(Named),
    /// The same by a descriptor.
    RightsOf(i32),
}

/// A question.
#[derive(Clone, Copy, Debug)]
pub(super) struct Question {
    id: u64,
    /// Who asks: a thread of a program.
    pub thread: Pid,
    /// What about; none: a call that is not looked at.
    pub act: Option<Act>,
}

/// Where questions come from.
#[derive(Debug)]
pub(crate) struct Listener(OwnedFd);

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Who we are after [`split`].
pub(crate) enum Side {
    /// The one that was there before.
    Old,
    /// The new one.
    New,
}

/// So long other threads are waited for.
const ALONE: Duration = Duration::from_secs(5);

/// Makes a second process of this one.
///
/// # Errors
/// When there are threads, whose locks nobody would ever open in the new one, or the system gives no process.
pub(crate) fn split() -> io::Result<Side> {
    // Those that waited for what another program said end by themselves, and may not have done so yet.
    let until = Instant::now() + ALONE;
    while std::fs::read_dir("/proc/self/task")?.count() != 1 {
        if Instant::now() >= until {
            return Err(io::Error::other("there are threads"));
        }
        std::thread::sleep(Duration::from_micros(200));
    }
    // SAFETY: this is the only thread, so the new process has all of the memory in a whole state.
    match unsafe { fork() }? {
        ForkResult::Parent { .. } => Ok(Side::Old),
        ForkResult::Child => Ok(Side::New),
    }
}

/// Has the program start below the filter, whose listener it sends through a socket. Where the kernel has none, or another
/// one listens already, it starts without, and sends nothing. `bare`: it may be made sure, for good, that nothing below gets
/// other rights by being started (`sudo`), where the kernel wants that. `signals`: those that are held off in the program.
/// `reads`: it asks about reading, too.
pub(crate) fn below_filter(command: &mut Command, socket: OwnedFd, signals: SigSet, bare: bool, reads: bool) {
    let filter = filter(reads);
    let hand_over = move || {
        let _ = sigprocmask(SigmaskHow::SIG_SETMASK, Some(&signals), None);
        if let Ok(listener) = install(&filter, bare) {
            let fds = [listener.as_raw_fd()];
            let word = [IoSlice::new(b"l")];
            let _ = sendmsg::<UnixAddr>(
                socket.as_raw_fd(),
                &word,
                &[ControlMessage::ScmRights(&fds)],
                MsgFlags::empty(),
                None,
            );
        }
        Ok(())
    };
    // SAFETY: between fork and exec of a process with one thread, which calls the system and nothing else.
    unsafe { command.pre_exec(hand_over) };
}

/// Takes the listener from the other end of that socket; none: the program started without a filter.
pub(crate) fn listener(socket: BorrowedFd<'_>) -> Option<Listener> {
    let mut word = [0_u8; 1];
    let mut words = [IoSliceMut::new(&mut word)];
    let mut room = nix::cmsg_space!([RawFd; 1]);
    let flags = MsgFlags::MSG_CMSG_CLOEXEC;
    let got = recvmsg::<UnixAddr>(socket.as_raw_fd(), &mut words, Some(&mut room), flags).ok()?;
    let fd = got.cmsgs().ok()?.find_map(|message| match message {
        ControlMessageOwned::ScmRights(fds) => fds.first().copied(),
        _ => None,
    })?;
    // SAFETY: the kernel just gave us this descriptor, and nobody else knows of it.
    let listener = Listener(unsafe { OwnedFd::from_raw_fd(fd) });
    listener.wake_at_once();
    Some(listener)
}

impl Listener {
    /// Asker and answerer change places on one core, where the kernel can do that (6.6 and later).
    fn wake_at_once(&self) {
        // SAFETY: the call takes the flag by value.
        unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SET_FLAGS, 1_u64) };
    }

    /// The next question. Waits for one.
    ///
    /// # Errors
    /// Also when whoever asked is gone, or a signal came in between.
    pub(super) fn next(&self) -> io::Result<Question> {
        // SAFETY: numbers alone, for which nothing but zero is asked.
        let mut asked: libc::seccomp_notif = unsafe { zeroed() };
        // SAFETY: the kernel writes one such question into it.
        let done =
            unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, from_mut(&mut asked)) };
        if done != 0 {
            return Err(io::Error::last_os_error());
        }
        let thread = Pid::from_raw(i32::try_from(asked.pid).unwrap_or(0));
        Ok(Question { id: asked.id, thread, act: act(thread, &asked.data) })
    }

    /// Whoever asked still waits: what was read of it is its own.
    pub(super) fn waits(&self, question: &Question) -> bool {
        let mut id = question.id;
        // SAFETY: the kernel reads one number.
        let done =
            unsafe { libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ID_VALID, from_mut(&mut id)) };
        done == 0
    }

    /// "Go on."
    pub(super) fn go_on(&self, question: &Question) {
        let mut answer = libc::seccomp_notif_resp {
            id: question.id,
            val: 0,
            error: 0,
            flags: libc::SECCOMP_USER_NOTIF_FLAG_CONTINUE as u32,
        };
        // SAFETY: the kernel reads one such answer. Whoever is gone meanwhile needs none.
        unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, from_mut(&mut answer));
        }
    }

    /// "You may not."
    pub(super) fn refuse(&self, question: &Question) {
        let mut answer = libc::seccomp_notif_resp { id: question.id, val: 0, error: -libc::EACCES, flags: 0 };
        // SAFETY: as above.
        unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, from_mut(&mut answer));
        }
    }

    /// "It is open, by this descriptor": what we opened is what it gets. Whether the kernel can do that (5.14 and later), and
    /// did.
    pub(super) fn hand(&self, question: &Question, file: BorrowedFd<'_>, alone: bool) -> bool {
        let close = if alone { libc::O_CLOEXEC } else { 0 };
        let mut answer = libc::seccomp_notif_addfd {
            id: question.id,
            flags: u32::try_from(libc::SECCOMP_ADDFD_FLAG_SEND).unwrap_or(0),
            srcfd: u32::try_from(file.as_raw_fd()).unwrap_or(u32::MAX),
            newfd: 0,
            newfd_flags: close.unsigned_abs(),
        };
        // SAFETY: the kernel reads one such answer, and makes a descriptor of its own of the file.
        let done = unsafe {
            libc::ioctl(self.0.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, from_mut(&mut answer))
        };
        done >= 0
    }
}

/// A text of another program, up to its end.
pub(super) fn text(thread: Pid, at: u64) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    let mut from = at;
    while text.len() < PATH {
        // Never over the edge of a piece: the next one may not be there.
        let mut piece =
            vec![0; usize::try_from(PAGE - from % PAGE).ok()?.min(if text.is_empty() { 256 } else { PATH })];
        let place = [RemoteIoVec { base: usize::try_from(from).ok()?, len: piece.len() }];
        let got = process_vm_readv(thread, &mut [IoSliceMut::new(&mut piece)], &place).ok()?;
        if let Some(end) = piece[..got].iter().position(|byte| *byte == 0) {
            text.extend_from_slice(&piece[..end]);
            return Some(text);
        }
        if got == 0 {
            return None;
        }
        text.extend_from_slice(&piece[..got]);
        from += got as u64;
    }
    None
}

/// What a program has stored at a place, as a number of 64 bits.
fn number_at(thread: Pid, at: u64) -> Option<u64> {
    let mut number = [0; 8];
    let place = [RemoteIoVec { base: usize::try_from(at).ok()?, len: number.len() }];
    let got = process_vm_readv(thread, &mut [IoSliceMut::new(&mut number)], &place).ok()?;
    (got == number.len()).then(|| u64::from_ne_bytes(number))
}

/// Whether flags of opening let what stands there be lost.
fn may_lose(flags: u64) -> bool {
    let has = |flag: libc::c_int| flags & u64::from(flag.unsigned_abs()) != 0;
    !(has(libc::O_EXCL) && has(libc::O_CREAT))
        && (has(libc::O_TRUNC) || has(libc::O_RDWR) || has(libc::O_WRONLY) && !has(libc::O_APPEND))
}

/// What opening by these flags does. A new file is nobody's.
fn opening(named: Named, flags: u64) -> Option<Act> {
    let has = |flag: libc::c_int| flags & u64::from(flag.unsigned_abs()) != 0;
    if may_lose(flags) {
        return Some(Act::Write(named));
    }
    let new = has(libc::O_EXCL) && has(libc::O_CREAT);
    match () {
        () if new || has(libc::O_PATH) || has(libc::O_DIRECTORY) => None,
        () if has(libc::O_WRONLY) => Some(Act::Add(named)),
        // Who would make it is after the file itself: to lock it, or to watch it grow.
        () if has(libc::O_CREAT) => None,
        () => Some(Act::Read(named, has(libc::O_CLOEXEC))),
    }
}

/// What a call is about.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
fn act(thread: Pid, call: &libc::seccomp_data) -> Option<Act> {
    let all = calls::of(call.arch);
    let (_, kind) = all.iter().find(|(number, _)| libc::c_long::from(call.nr) == *number)?;
    let args = &call.args;
    let named = |dir: usize, text: usize| Named { dir: args[dir] as i32, text: args[text] };
    let here = |text: usize| Named { dir: HERE, text: args[text] };
    let has = |at: usize, flag: u32| args[at] & u64::from(flag) != 0;
    match kind {
        Kind::Creat | Kind::Truncate => Some(Act::Write(here(0))),
        Kind::Open => opening(here(0), args[1]),
        Kind::OpenAt => opening(named(0, 1), args[2]),
        // Its flags stand in the program's memory, where the filter cannot look; unread they may be any.
        Kind::OpenAt2 => match number_at(thread, args[2]) {
            None => Some(Act::Write(named(0, 1))),
            Some(flags) => opening(named(0, 1), flags),
        },
        Kind::FTruncate => Some(Act::Cut(args[0] as i32)),
        Kind::Unlink => Some(Act::Remove(here(0))),
        Kind::UnlinkAt => Some(Act::Remove(named(0, 1))),
        Kind::Rename => Some(Act::Rename(here(0), here(1), false)),
        Kind::RenameAt => Some(Act::Rename(named(0, 1), named(2, 3), false)),
        Kind::RenameAt2 if has(4, libc::RENAME_EXCHANGE) => Some(Act::Exchange(named(0, 1), named(2, 3))),
        Kind::RenameAt2 => Some(Act::Rename(named(0, 1), named(2, 3), has(4, libc::RENAME_NOREPLACE))),
        Kind::Link => Some(Act::Link(here(0), here(1), false)),
        Kind::LinkAt => {
            Some(Act::Link(named(0, 1), named(2, 3), has(4, libc::AT_SYMLINK_FOLLOW.unsigned_abs())))
        }
        Kind::Rights => Some(Act::Rights(here(0))),
        Kind::RightsAt => Some(Act::Rights(named(0, 1))),
        Kind::RightsOf => Some(Act::RightsOf(args[0] as i32)),
        Kind::Rings | Kind::Handle => None,
    }
}

/// Puts the filter on this process and all that come from it. `bare`: see [`below_filter`].
fn install(filter: &[libc::sock_filter], bare: bool) -> io::Result<OwnedFd> {
    let base = libc::SECCOMP_FILTER_FLAG_NEW_LISTENER | libc::SECCOMP_FILTER_FLAG_SPEC_ALLOW;
    // Signals that come while an answer is awaited begin the call anew, for ever with some programs, unless it holds them off.
    let patient = base | libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    let first = put(filter, patient);
    let first = match &first {
        Err(error) if error.raw_os_error() == Some(libc::EINVAL) => put(filter, base),
        _ => first,
    };
    match first {
        Err(error) if error.raw_os_error() == Some(libc::EACCES) && bare => {
            // SAFETY: numbers alone.
            if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
                return Err(io::Error::last_os_error());
            }
            put(filter, patient).or_else(|_| put(filter, base))
        }
        done => done,
    }
}

fn put(filter: &[libc::sock_filter], flags: libc::c_ulong) -> io::Result<OwnedFd> {
    let length = u16::try_from(filter.len()).map_err(io::Error::other)?;
    let program = libc::sock_fprog { len: length, filter: filter.as_ptr().cast_mut() };
    // SAFETY: the kernel copies the program, which lives until the call is over.
    let fd =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program) };
    if fd < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the kernel just gave us this descriptor.
    Ok(unsafe { OwnedFd::from_raw_fd(RawFd::try_from(fd).map_err(io::Error::other)?) })
}

/// The filter: what opens for writing what may be there already, cuts off, takes a name away, gives another, or changes
/// rights is asked about; with `reads`, whatever opens.
fn filter(reads: bool) -> Vec<libc::sock_filter> {
    let mut lines = vec![take(4)];
    for (machine, calls) in calls::ALL {
        let asked = questions(calls, reads);
        let over = u32::try_from(asked.len()).unwrap_or(u32::MAX);
        // A way of more than 255 lines is gone by a jump of its own.
        lines.extend([when(libc::BPF_JEQ, *machine, 1, 0), line(libc::BPF_JMP | libc::BPF_JA, over, 0, 0)]);
        lines.extend(asked);
    }
    // What is of another machine is passed by.
    lines.push(say(PASS));
    lines
}

/// The questions of one machine's calls; in the end it is passed by.
fn questions(calls: &[(libc::c_long, Kind)], reads: bool) -> Vec<libc::sock_filter> {
    // So are calls of the third way to be a program on x86-64.
    let mut lines = vec![take(0), when(libc::BPF_JGE, 0x4000_0000, 0, 1), say(PASS)];
    for (number, kind) in calls {
        let answer: Vec<libc::sock_filter> = match kind {
            Kind::Open if !reads => by_flags(1, ASK),
            Kind::OpenAt if !reads => by_flags(2, ASK),
            Kind::Handle => by_flags(2, NOT_THERE),
            Kind::Rings => vec![say(NOT_THERE)],
            _ => vec![say(ASK)],
        };
        let number = u32::try_from(*number).unwrap_or(u32::MAX);
        lines.push(when(libc::BPF_JEQ, number, 0, u8::try_from(answer.len()).unwrap_or(u8::MAX)));
        lines.extend(answer);
    }
    lines.push(say(PASS));
    lines
}

/// This answer where what is opened may lose what stands in it.
fn by_flags(argument: u32, answer: u32) -> Vec<libc::sock_filter> {
    let has = |flags: libc::c_int, yes, no| when(libc::BPF_JSET, u32::try_from(flags).unwrap_or(0), yes, no);
    vec![
        // Of an argument the lower half, which comes first on these machines.
        take(16 + 8 * argument),
        // A new file.
        has(libc::O_EXCL, 0, 2),
        has(libc::O_CREAT, 0, 1),
        say(PASS),
        has(libc::O_TRUNC, 0, 1),
        say(answer),
        has(libc::O_WRONLY | libc::O_RDWR, 1, 0),
        say(PASS),
        // What can also be read may be mapped, and then written anywhere.
        has(libc::O_RDWR, 0, 1),
        say(answer),
        // What is only added to loses nothing.
        has(libc::O_APPEND, 0, 1),
        say(PASS),
        say(answer),
    ]
}

const PASS: u32 = libc::SECCOMP_RET_ALLOW;
const ASK: u32 = libc::SECCOMP_RET_USER_NOTIF;
#[allow(clippy::cast_sign_loss)]
const NOT_THERE: u32 = libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32;

/// Takes the number at this place of the call.
fn take(at: u32) -> libc::sock_filter {
    line(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, at, 0, 0)
}

/// Compares it: so many lines on where it holds, and where not.
fn when(how: u32, with: u32, yes: u8, no: u8) -> libc::sock_filter {
    line(libc::BPF_JMP | how | libc::BPF_K, with, yes, no)
}

/// The answer.
fn say(answer: u32) -> libc::sock_filter {
    line(libc::BPF_RET | libc::BPF_K, answer, 0, 0)
}

fn line(code: u32, k: u32, jt: u8, jf: u8) -> libc::sock_filter {
    libc::sock_filter { code: u16::try_from(code).unwrap_or(0), jt, jf, k }
}

/// Whether this kernel has such filters at all.
pub(crate) fn is_there() -> bool {
    let answer: u32 = libc::SECCOMP_RET_USER_NOTIF;
    // SAFETY: the kernel reads one number.
    let done =
        unsafe { libc::syscall(libc::SYS_seccomp, libc::SECCOMP_GET_ACTION_AVAIL, 0, &raw const answer) };
    done == 0
}

/// Closes all that was open, but for these: whoever reads from the other end must not wait for us.
pub(crate) fn let_go(except: &[BorrowedFd<'_>]) {
    let Ok(open) = std::fs::read_dir("/proc/self/fd") else { return };
    // That of the list itself is among them, and closed already when its turn comes.
    let open: Vec<RawFd> = open.flatten().filter_map(|fd| fd.file_name().to_str()?.parse().ok()).collect();
    for fd in open {
        if !except.iter().any(|stays| stays.as_raw_fd() == fd) {
            // Descriptors of which this process has no owner any more.
            let _ = nix::unistd::close(fd);
        }
    }
}

/// Has a signal do again what it does where nobody says otherwise.
pub(crate) fn default_action(signal: Signal) {
    // SAFETY: no handler of ours is called by it.
    let _ = unsafe { nix::sys::signal::signal(signal, SigHandler::SigDfl) };
}
