#!/usr/bin/env bash
# A hook that prints what it can open of the first process, of the runner, and of itself, and asks the runner for its
# inspector.
[[ ${1:-} != --config ]] || exec echo '{"configVersion": "v1", "onStartup": 1}'
spy() {
  for file in environ mem maps auxv; do
    { : < "/proc/$2/$file"; } 2> /dev/null && echo "spied $1 $file"
  done
  [[ -z $(ls "/proc/$2/fd" 2> /dev/null) ]] || echo "spied $1 fd"
  for file in cwd root exe; do
    ! readlink "/proc/$2/$file" > /dev/null || echo "spied $1 $file"
  done
}
spy init 1
spy runner "$PPID"
spy itself "$$"
kill -USR1 "$PPID"
echo 'spied end now'
