# What mysqld is to be by its ordinal, and the password where programs read it without being told it.
set -euo pipefail
ordinal="${HOSTNAME##*-}"
case "$ordinal" in
  '' | *[!0-9]*) echo "no ordinal in $HOSTNAME" >&2; exit 1 ;;
esac
# 0 is reserved.
printf '[mysqld]\nserver-id=%d\n' "$((100 + ordinal))" > /mnt/conf.d/server-id.cnf
if [ "$ordinal" -eq 0 ]; then
  cp /mnt/config-map/master.cnf /mnt/conf.d/
else
  cp /mnt/config-map/slave.cnf /mnt/conf.d/
fi
quoted="${MYSQL_ROOT_PASSWORD//\\/\\\\}"
quoted="${quoted//\"/\\\"}"
printf '[client]\nuser=root\npassword="%s"\n' "$quoted" > /mnt/credentials/client.cnf
