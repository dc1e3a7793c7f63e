# A home with work in it: a repository of every state, plain files and trees, databases, archives, an agent's leavings.
set -e
cd ~
mkdir -p docs/old docs/deep/er notes .ssh proj other
echo letter > docs/letter.txt
echo letter2 > docs/old/letter2.txt
echo deep > docs/deep/er/x.md
echo 'with blank' > 'docs/my file.txt'
echo "quote" > "docs/it's.txt"
echo dash > docs/-dash.txt
echo umlaut > docs/grün.txt
echo a > notes/a.txt
echo b > notes/b.txt
cp notes/b.txt notes/b.txt.older
echo taken > notes/taken.txt
echo older > notes/taken.txt.bak
ln -s letter.txt docs/link.txt
echo key > .ssh/id_ed25519
chmod 640 notes/a.txt
tar cf notes.tar notes
cd ~/other
git init -q -b main
echo o > o.txt
git add -A
git commit -qm other
echo changed > o.txt
echo new > new.txt
mkdir sub
echo s > sub/s.txt
git init -q --bare -b main ~/team.git
cd ~/proj
git init -q -b main
git remote add origin ~/team.git
mkdir -p src/deep scratch/deep data logs docs
for f in src/a.py src/b.py src/c.py src/d.py src/deep/e.py README.md docs/guide.md "src/with blank.py"; do
  for n in 1 2 3 4 5; do echo "$f line $n"; done > "$f"
done
printf '*.db\nlogs/\n*.local\n' > .gitignore
git add -A
git commit -qm first
git push -q origin main
git checkout -q -b feature
echo feature > src/feature.py
git add -A
git commit -qm feature
git checkout -q -b pushed main
echo pushed > src/pushed.py
git add -A
git commit -qm pushed
git push -q origin pushed
git checkout -q main
git branch -q shared main
git push -q origin shared
git clone -q ~/team.git ~/colleague -b shared
(cd ~/colleague; echo theirs > theirs.txt; git add -A; git commit -qm theirs; git push -q origin shared)
rm -rf ~/colleague
git tag v1 feature
git tag -a -m annotated v2 feature
echo second >> README.md
git commit -qam second
echo third >> README.md
git commit -qam third
echo stashed >> src/c.py
git stash -q
echo stashed2 > src/stashnew.py
git stash -q -u
mkdir -p scratch/deep data logs docs
git worktree add -q ../tree -b tree
echo worktree > ../tree/wt.txt
git clone -q ~/team.git ~/lib.tmp
mkdir vendor
git -c protocol.file.allow=always submodule --quiet add ~/team.git vendor/lib
git commit -qm submodule
echo sub > vendor/lib/subwork.txt
rm -rf ~/lib.tmp
echo changed >> src/a.py
echo staged >> src/b.py
git add src/b.py
echo staged-and >> src/d.py
git add src/d.py
echo more >> src/d.py
echo changed >> "src/with blank.py"
echo own > own.txt
echo own2 > 'own two.txt'
echo fresh > fresh.py
git add fresh.py
echo x > scratch/x.txt
echo y > scratch/deep/y.txt
echo log > logs/run.log
echo secret > settings.local
echo key > server.key
sqlite3 app.db 'create table t(a, b); insert into t values(1, 2), (3, 4); create table u(x); insert into u values(7)'
sqlite3 data/shop.sqlite 'create table orders(id, what); insert into orders values(1, 2)'
tar cf data/src.tar src
(cd src; zip -q ../data/src.zip a.py b.py)
echo arch > arch.txt
zip -q data/one.zip arch.txt
echo 'arch changed' > arch.txt
gzip -k9 < own.txt > data/own.gz
git diff > ~/work.patch
for dir in ~/proj ~/other ~/team.git; do git -C $dir gc -q; done
rm -rf ~/*/.git/hooks ~/team.git/hooks
