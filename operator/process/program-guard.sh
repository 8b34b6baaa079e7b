# Kills programs when the process that started them has ended. Standard input is a pipe from that process. Each line
# has a sign, the process group of a program and its value of CHANCERY_RUN: "+" when it starts, "-" when it has ended.
runs=
while read -r sign group run; do
  case $sign in
    +) runs="$runs $group/$run" ;;
    -) kept=
       for each in $runs; do
         [ "$each" = "$group/$run" ] || kept="$kept $each"
       done
       runs=$kept ;;
  esac
done
# After SIGKILL a process can do nothing, but the system closes its pipes.
for each in $runs; do
  kill -s KILL -- "-${each%%/*}"
  # Processes that have left the group, and processes that they start meanwhile. Only Linux shows them.
  for round in 1 2 3 4 5 6 7 8 9 10; do
    files=$(grep -lsF "CHANCERY_RUN=${each#*/}" /proc/[0-9]*/environ)
    [ -n "$files" ] || break
    for file in $files; do
      pid=${file#/proc/}
      kill -s KILL "${pid%/environ}"
    done
  done
done
