/** Run in a container: connects to a unix socket, and prints `connected` or the code of the refusal. */
import { connect } from 'node:net';
import process from 'node:process';

const socket = connect({ path: process.argv[1] ?? '' });
socket.on('connect', () => tell('connected'));
socket.on('error', (error: NodeJS.ErrnoException) => tell(String(error.code)));

function tell(what: string): void {
  process.stdout.write(what);
  socket.destroy();
}
