#!/bin/sh
# Written by `recourse init cline`, which also changes and removes it.
if [ -x @PROGRAM@ ]; then
    exec @PROGRAM@ hook cline
fi
printf '%s\n' '{"cancel":true,"errorMessage":"recourse is not where it was installed, so nothing runs: install it again, or remove this hook"}'
