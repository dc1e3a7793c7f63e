//! What a command started or made itself, and what stands for the database of its tests: taking that away stops nobody, and
//! what only looks so does.

use crate::evasions::{all_stopped, none_stopped};

#[test]
fn its_own_it_may_end() {
    none_stopped(&[
        "sleep 9 & kill $!",
        "python3 -m http.server 8000 & SERVER=$!; trap \"kill $SERVER\" EXIT; curl -s localhost:8000",
        "python3 -c \"import subprocess; p=subprocess.Popen(['sleep','3']); p.terminate(); p.wait()\"",
        "python3 -c \"import tempfile,os; f=tempfile.NamedTemporaryFile(delete=False); f.close(); os.unlink(f.name)\"",
        "echo A=1 > settings.env; source <(grep = settings.env)",
    ]);
}

#[test]
fn it_may_clean_up_whenever_it_is_stopped() {
    none_stopped(&[
        "t=$(mktemp -d); trap 'rm -rf \"$t\"' EXIT INT TERM; echo hi > $t/x; cat $t/x",
        "cleanup() { cd /; rm -rf \"$tmp\"; }; tmp=$(mktemp -d); trap cleanup EXIT HUP INT TERM; cp notes.md \"$tmp\"",
        "set -Eeuo pipefail; trap 'echo \"failed at line $LINENO\" >&2' ERR; mkdir -p out",
        "trap 'echo bye; exit 130' SIGINT; rm -rf build",
        "trap 'x=1' 2 15; x=build; rm -rf \"$x\"",
        "sleep 9 & trap 'cd ..' INT; kill $!; ls",
    ]);
}

#[test]
fn what_is_not_its_own_it_may_not() {
    all_stopped(&[
        "python3 -c \"import subprocess,os; p=subprocess.Popen(['ls']); os.remove('notes.md')\"",
        "python3 -c \"import subprocess; p=subprocess.Popen(['rm','-rf','scratch']); p.kill()\"",
        "python3 -c \"import subprocess,os; os.system(subprocess.check_output(['cat','x']))\"",
        "python3 -c \"import boto3; c=boto3.client('ec2'); c.terminate_instances()\"",
        "python3 -c \"import tempfile,os; f=tempfile.NamedTemporaryFile(); os.unlink('notes.md')\"",
        "trap \"rm -rf scratch $!\" EXIT",
        "sleep 1 & trap \"rm -rf $X/scratch\" EXIT",
        "source <(grep = notes.md; echo rm -rf scratch)",
    ]);
}

#[test]
fn the_database_of_the_tests_is_no_other() {
    none_stopped(&[
        "RAILS_ENV=test rake db:reset",
        "MIX_ENV=test mix ecto.reset",
        "export MIX_ENV=test; mix ecto.drop",
    ]);
    all_stopped(&[
        "rake db:reset",
        "RAILS_ENV=production rake db:reset",
        "RAILS_ENV=test DATABASE_URL=postgres://db/app rake db:reset",
        "export DATABASE_URL=$URL; RAILS_ENV=test rake db:reset",
        "RAILS_ENV=$E rake db:reset",
        "echo DATABASE_URL=postgres://db/app > .env; RAILS_ENV=test rake db:reset",
        "php artisan migrate:fresh --env=testing",
        "php artisan migrate:fresh",
        "MIX_ENV=prod mix ecto.drop",
        "MIX_ENV=test mix ecto.drop --repo Other.Repo",
        "RAILS_ENV=test rake db:drop RAILS_ENV=production",
        "RAILS_ENV=test rake db:drop:all",
        "RAILS_ENV=test rake db:drop $MORE",
        "ssh host 'RAILS_ENV=test rake db:reset'",
        "RAILS_ENV=test psql -c 'drop table users'",
        "RAILS_ENV=test rm -rf scratch",
    ]);
}
