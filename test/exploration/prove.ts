/** `npm run prove -- exploration`: one exploration with a seed, again and again, has the same trace each time. */
import { createHash } from 'node:crypto';
import process from 'node:process';
import { ExplorationFailure, explore, type Scenario } from '@chancery/testing';
import { controller, isControlledBy } from 'chancery';
import { configMaps, secrets } from 'chancery/kubernetes';
import { isWhole, optionsOrExit } from '../scripts/options.ts';

const USAGE = `usage: npm run prove -- exploration [--times N]

Explores one operator with one seed again and again. Each exploration has to find the same failure, with the
same trace, event by event.

  --times N   how often; default 1000
  --help      this text

Progress and the digest of the trace on standard output. Exits 0 when all traces are equal, 1 when not,
2 for a wrong command line.
`;

const SEED = 7;
/** Lines of progress in the whole run. */
const LINES = 10;

/** An operator that uses the clock, timers and randomness by itself, and that a stale cache makes create a second Secret. */
const scenario: Scenario = {
  name: 'tokens',
  objects: '{ apiVersion: v1, kind: ConfigMap, metadata: { name: a } }',
  controllers: () => [
    controller({
      name: 'tokens',
      for: configMaps,
      owns: [secrets],
      consistency: 'none',
      permissions: [{ resource: secrets, verbs: ['create'] }],
      async reconcile(object, { client, store }) {
        const { name, namespace = '', uid = '' } = object.metadata;
        const owner = { apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true };
        const mine = store(secrets).list({ namespace });
        if (mine.some((secret) => isControlledBy(secret, object))) return;
        await new Promise((resolve) => setTimeout(resolve, Math.random() * 100));
        const annotations = { made: `${Date.now()} ${crypto.randomUUID()}` };
        await client.create(secrets, {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: {
            name: '',
            generateName: `${name}-`,
            namespace,
            annotations,
            ownerReferences: [owner],
          },
        });
      },
    }),
  ],
  changes: [
    {
      name: 'a person labels ConfigMap a',
      apply: (cluster) => {
        cluster.patch('v1', 'ConfigMap', 'default', 'a', { metadata: { labels: { team: 'web' } } });
      },
    },
  ],
};

async function traceOf(): Promise<string> {
  try {
    await explore(scenario, { seed: SEED });
  } catch (error) {
    if (error instanceof ExplorationFailure) return `${error.schedule}\n${error.trace}`;
    throw error;
  }
  throw new Error('the exploration found nothing');
}

const options = optionsOrExit(USAGE, { times: { type: 'string', default: '1000' } }, (values) =>
  isWhole(values.times) ? undefined : `--times ${values.times}: not a whole number above 0`,
);
const times = Number(options.times);
const first = await traceOf();
for (let run = 1; run < times; run++) {
  if ((await traceOf()) !== first)
    throw new Error(`run ${run + 1} has another trace than the first`);
  if (run % Math.ceil(times / LINES) === 0) process.stdout.write(`${run} of ${times}\n`);
}
const digest = createHash('sha256').update(first).digest('hex').slice(0, 16);
process.stdout.write(
  `${times} explorations on Node ${process.version} had one trace: ${first.split('\n').length} lines, SHA-256 ${digest}\n`,
);
