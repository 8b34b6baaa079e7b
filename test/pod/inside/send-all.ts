/**
 * Run in a container: sends each request to 127.0.0.1:8001, exactly as it is written, and prints the
 * answers as JSON. `METHOD PATH` is one argument.
 */
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import process from 'node:process';
import { text } from 'node:stream/consumers';

const answers: Record<string, string> = {};
for (const line of process.argv.slice(1)) {
  const [method = '', path = ''] = line.split(' ', 2);
  const sent = request({ hostname: '127.0.0.1', port: 8001, method, path, agent: false });
  sent.end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  const body = (await text(response)).slice(0, 40);
  answers[line] = `${response.statusCode} ${response.headers['content-type']} ${body}`;
}
process.stdout.write(JSON.stringify(answers));
