import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

/** Listens, says where, and never runs again: nothing accepts what the kernel queues. */
const PROGRAM = `
const server = require('node:net').createServer();
server.listen({ host: '127.0.0.1', port: 0, backlog: 1 }, () => {
  require('node:fs').writeSync(1, server.address().port + '\\n');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
});`;

/** How many connections a queue of one takes in: Linux counts generously. */
const QUEUE = 2;

/** The URL of a listener whose queue is full: a connection to it is neither made nor refused. */
export async function deafListener(): Promise<string> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  const [port] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
  for (let queued = 0; queued < QUEUE; queued++) await fill(Number(port));
  return `http://127.0.0.1:${port}`;
}

async function fill(port: number): Promise<Socket> {
  const socket = connect({ host: '127.0.0.1', port });
  socket.on('error', () => {});
  onTestFinished(() => {
    socket.destroy();
  });
  await once(socket, 'connect');
  return socket;
}
