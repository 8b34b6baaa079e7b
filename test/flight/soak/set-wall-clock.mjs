// Loaded into a process before its operator: each SIGWINCH sets its wall clock forward by two hours, as an administrator may do.
const { now } = Date;
let aheadMs = 0;
Date.now = () => now() + aheadMs;
process.on('SIGWINCH', () => {
  aheadMs += 2 * 60 * 60 * 1_000;
  process.stderr.write('{"msg":"the wall clock was set"}\n');
});
