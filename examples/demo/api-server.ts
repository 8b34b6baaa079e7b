/**
 * The embedded API server by itself, for trying things by hand: Deployments make Pods, and the
 * custom resources and the sample web app of config-restart are there, in the namespace `demo`.
 */
import { parseArgs } from 'node:util';
import { ApiServer } from 'chancery/testing';
import { applySample, NAMESPACE, prepare } from './example.ts';

const HELP = `npm run apiserver -- [--port PORT]

Serves the Kubernetes API on http://127.0.0.1:PORT (default 8080) until Ctrl-C. Nothing is kept.
`;

async function main(): Promise<number> {
  let port: number;
  try {
    const { values } = parseArgs({
      options: { port: { type: 'string', default: '8080' }, help: { type: 'boolean', short: 'h' } },
    });
    if (values.help) {
      process.stdout.write(HELP);
      return 0;
    }
    port = Number(values.port);
    if (!Number.isInteger(port) || port < 0 || port > 65_535) {
      throw new Error(`--port must be a number from 0 to 65535, not ${values.port}`);
    }
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  const server = await ApiServer.start({ port, workloads: {} });
  await prepare(server);
  await applySample(server);
  process.stdout.write(`serving on ${server.url}, namespace ${NAMESPACE}\n`);
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve);
    process.once('SIGTERM', resolve);
  });
  await server.close();
  return 0;
}

process.exitCode = await main();
