/**
 * Runs a program, and kills it when the process that started this one is gone. It runs as
 * `node --eval TEXT -- CHANNEL PROGRAM [ARGUMENT...]`, as the leader of a process group of its own.
 *
 * Standard input is a pipe from the process that started it, and is never written to. It ends when that
 * process ends, for whatever reason: SIGKILL lets a process do nothing, but the system closes its pipes. Then
 * the whole group is killed: this process, the program, and what the program has started.
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
