/**
 * Runs a program, and kills it when the parent of this process is gone. It is started as
 * `node --eval TEXT -- CHANNEL PROGRAM [ARGUMENT...]`, as the leader of its own process group.
 *
 * Standard input is a pipe from the parent, which writes nothing to it. The pipe ends when the parent
 * ends, for any reason: after SIGKILL a process can do nothing, but the system closes its pipes. Then
 * the whole group is killed: this process, the program, and the processes that the program has started.
 */
const { spawn } = require('node:child_process');
const { constants } = require('node:os');
const process = require('node:process');

const [channel, program, ...args] = process.argv.slice(1);

const endAll = () => process.kill(0, 'SIGKILL');
process.stdin.on('end', endAll).on('error', endAll).resume();

// File 3 is the channel between the program and the process that started this one.
const stdio = ['ignore', 'inherit', 'inherit', ...(channel === 'channel' ? [3] : [])];
const child = spawn(program, args, { stdio });
child.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exit(127);
});
child.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
for (const name of ['SIGINT', 'SIGTERM']) process.on(name, () => child.kill(name));
