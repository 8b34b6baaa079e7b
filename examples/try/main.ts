/** Starts one example, until Ctrl-C: see its README. */

import { parseTryArguments, usage } from './arguments.ts';
import { NAMESPACE, startExample } from './cluster.ts';
import { EXAMPLES } from './examples.ts';
import { Timeline } from './timeline.ts';

async function main(): Promise<number> {
  const names = Object.keys(EXAMPLES);
  const given = parseTryArguments(process.argv.slice(2), names);
  if (given === 'help') {
    process.stdout.write(usage(names));
    return 0;
  }
  if ('wrong' in given) {
    process.stderr.write(`${given.wrong}\n\n${usage(names)}`);
    return 2;
  }
  const ended = Promise.withResolvers<void>();
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      stop.abort(new Error(`received ${signal}`));
      ended.resolve();
    });
  }
  const timeline = new Timeline(process.stdout);
  try {
    const running = await startExample({ ...given, signal: stop.signal }, timeline);
    timeline.say(`
Try it:  kubectl --server=${running.url} -n ${NAMESPACE} apply -f examples/${given.name}/sample/
It stays up until you press Ctrl-C; examples/${given.name}/README.md says what to look at.`);
    await ended.promise;
    await running.stop();
    return 0;
  } catch (error) {
    if (stop.signal.aborted) return 0;
    process.stderr.write(
      `\nexamples/${given.name} did not start: ${error instanceof Error ? error.message : error}\n`,
    );
    return 1;
  }
}

process.exitCode = await main();
