#!/bin/sh
# The loop that operators written in shell are made of. It reads no commands: it tells what it sees.
# usage: loop.sh URL OBJECTS
objects=0
echo '{"is":"imported","ms":0}'
curl --silent --no-buffer "$1?watch=1" | while IFS= read -r line; do
  name=$(printf '%s\n' "$line" | jq -r .object.metadata.name)
  case "$name" in marker-*) echo '{"is":"seen"}' ;; esac
  objects=$((objects + 1))
  if [ "$objects" -eq "$2" ]; then echo "{\"is\":\"synced\",\"objects\":$objects}"; fi
done
