//! A secret that a command's own words carry stands nowhere in what is said of the command.

use std::process::Command;

/// Commands in which `SECRET` stands for a secret that has no form of its own, where the tool's data says that it is one.
const COMMANDS: [&str; 84] = [
    "vault token revoke SECRET",
    "mysql -e \"SET PASSWORD FOR x = 'SECRET'; DROP TABLE y\"",
    "mysql -e \"DROP TABLE y; ALTER USER x IDENTIFIED WITH sha256_password BY 'SECRET'\"",
    "psql -c \"DROP TABLE y; CREATE ROLE x PASSWORD 'SECRET'\"",
    "T=SECRET; curl -X DELETE -H \"Authorization: Bearer $T\" https://h/x",
    "export T=SECRET; curl -X DELETE -u \"me:$T\" https://h/x",
    "T=SECRET; curl -X DELETE https://me:$T@h/x",
    "sqlcmd -U u -P SECRET -Q 'DROP DATABASE x'",
    "smbclient //h/s -U u%SECRET -c 'del x'",
    "doctl -t SECRET compute droplet delete 1",
    "aws configure set aws_secret_access_key SECRET",
    "redis-cli -a SECRET FLUSHALL",
    "docker login -u u -p SECRET",
    "echo SECRET | docker login -u u --password-stdin r",
    "openssl enc -k SECRET -in a -out b",
    "openssl enc -pass pass:SECRET -in a -out b",
    "echo SECRET | sudo -S rm -rf /srv",
    "sudo -S rm -rf /srv <<< SECRET",
    "mysql -pSECRET -e 'DROP TABLE t'",
    "sshpass -p SECRET ssh h rm -rf x",
    "kubectl create secret generic x --from-literal=k=SECRET",
    "kubectl create secret generic x --from-literal k=SECRET",
    "npm config set //reg/:_authToken SECRET",
    "npm config set //reg/:_authToken=SECRET",
    "gh secret set -b SECRET NAME",
    "vault kv put s k=SECRET",
    "curl -u u:SECRET -X DELETE https://h/x",
    "curl -uu:SECRET -X DELETE https://h/x",
    "helm registry login -u u -p SECRET r",
    "az login -u u -p SECRET",
    "gpg --passphrase SECRET -d f",
    "7z a -pSECRET x.7z f",
    "unzip -P SECRET x.zip",
    "zip -P SECRET x.zip f",
    "PW=SECRET; redis-cli -a \"$PW\" FLUSHALL",
    "bash -c 'redis-cli -a SECRET FLUSHALL'",
    "redis-cli -a SECRET FLUSHALL; unknown-program SECRET; rm -rf SECRET",
    "ssh h redis-cli -a SECRET FLUSHALL",
    "vault write secret/x v=SECRET",
    "ldapsearch -x -D cn=a -w SECRET",
    "ldapmodify -wSECRET -f x.ldif",
    "net use x: //h/s SECRET",
    "az keyvault secret set --vault-name v -n n --value SECRET",
    "aws ssm put-parameter --name n --type SecureString --value SECRET",
    "mysqladmin -u root password SECRET",
    "influx -username u -password SECRET",
    "setx API_KEY SECRET /M",
    "sqlplus -s ada/SECRET@db",
    "podman secret create s - <<< SECRET",
    "redis-cli CONFIG SET requirepass SECRET",
    "consul kv put a SECRET",
    "consul acl set-agent-token default SECRET",
    "snmpwalk -v2c -c SECRET h",
    "ipmitool -H h -U u -P SECRET power off",
    "expect -c 'send \"SECRET\"'",
    "flyctl secrets set A=SECRET",
    "wrangler secret put A <<< SECRET",
    "doppler secrets set A SECRET -p shop",
    "netlify env:set A SECRET",
    "vercel env add A production <<< SECRET",
    "twine upload -u u -p SECRET dist/x",
    "gem push --key SECRET x.gem",
    "dotnet nuget push x -k SECRET",
    "sops --set '[\"a\"] \"SECRET\"' f",
    "drush user:password u SECRET",
    "python manage.py shell -c \"u.set_password('SECRET')\"",
    "PIN=SECRET ./x",
    "nmcli dev wifi connect ssid password SECRET",
    "wpa_passphrase ssid SECRET",
    "iwctl --passphrase SECRET station w connect s",
    "tailscale up --authkey SECRET",
    "mongorestore -p SECRET",
    "xfreerdp /u:u /p:SECRET /v:h",
    "rdesktop -p SECRET h",
    "virsh secret-set-value u SECRET",
    "ejabberdctl register u h SECRET",
    "kadmin -w SECRET",
    "kinit u <<< SECRET",
    "secret-tool store --label=x a b <<< SECRET",
    "security add-generic-password -a a -s s -w SECRET",
    "pass insert -e x <<< SECRET",
    "bw unlock SECRET",
    "pulumi config set dbPassword SECRET --secret",
    "ssh h mysqladmin password SECRET",
];

fn said(arguments: &[&str], command: &str) -> String {
    let home = tempfile::tempdir().unwrap();
    let done = Command::new(env!("CARGO_BIN_EXE_recourse"))
        .args(arguments)
        .args(["--", command])
        .current_dir(home.path())
        .env_clear()
        .env("HOME", home.path())
        .env("PATH", "/usr/bin:/bin")
        .output()
        .unwrap();
    let text = [done.stdout, done.stderr].map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).concat();
    assert!(
        text.contains("timing") || text.contains("recourse") || text.contains("allow"),
        "{command}: {text}"
    );
    text
}

#[test]
fn secrets_in_words_are_said_nowhere() {
    let mut told = Vec::new();
    for command in COMMANDS {
        // What is said of the deletion names it, unless it is known to be secret.
        let command = format!("{command}; rm -rf SECRET").replace("SECRET", "qzvplain");
        let forms: [&[&str]; 3] =
            [&["evaluate", "shell", "--format", "json"], &["evaluate", "shell"], &["explain"]];
        for form in forms {
            if said(form, &command).contains("qzvplain") {
                told.push(format!("{form:?} {command}"));
            }
        }
    }
    assert_eq!(told, Vec::<String>::new());
}

#[test]
fn what_aws_is_configured_with_is_said_nowhere() {
    let command = "aws configure <<EOF\nqzvidentity\nqzvplain\nus-east-1\njson\nEOF\ndropdb json";
    for form in [["evaluate", "shell", "--format", "human"], ["evaluate", "shell", "--format", "json"]] {
        let said = said(&form, command);
        assert!(!said.contains("qzvplain") && said.contains("json"), "{said}");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for command in [
        "docker run -p 8080:80 i; rm -rf qzvplain",
        "kubectl delete ns qzvplain",
        "rm -rf qzvplain-p",
        "mkdir -p qzvplain; rm -rf qzvplain",
        "mysql -P qzvplain -h h; rm -rf qzvplain",
        "net user qzvplain /delete; rm -rf qzvplain",
        "docker run -v /srv/tokens:/qzvplain i; rm -rf /qzvplain",
        "kubectl create secret generic qzvplain; rm -rf qzvplain",
        "docker login --password-stdin qzvplain; rm -rf qzvplain",
        "aws ssm put-parameter --name n --type String --value qzvplain; rm -rf qzvplain",
        "vault kv get secret/qzvplain; rm -rf qzvplain",
        "git clone https://qzvplain@host/x; rm -rf qzvplain",
        "git config credential.helper qzvplain; rm -rf qzvplain",
        "git add my_token.txt qzvplain; rm -rf qzvplain",
        "redis-cli SET a qzvplain; rm -rf qzvplain",
        "npm token revoke qzvplain; rm -rf qzvplain",
        "exp file=/qzvplain; rm -rf /qzvplain",
        "vault kv put -mount=qzvplain s a=b; rm -rf qzvplain",
        "docker build --secret id=qzvplain,src=/qzvplain .; rm -rf /qzvplain",
    ] {
        assert!(said(&["evaluate", "shell", "--format", "json"], command).contains("qzvplain"), "{command}");
    }
}
