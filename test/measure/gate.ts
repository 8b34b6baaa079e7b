/**
 * What the gate adds to a review: the bare function in this process, an operator in a process of its own, and the whole
 * way through TLS and a real nginx with the generated configuration to this operator. They take turns, each over one
 * kept connection; `npm run measure -- gate`. See docs/performance.md.
 */
import { Agent } from 'node:http';
import { cpus } from 'node:os';
import process from 'node:process';
import { hasGoodName } from '../gate/modules/names-webhook.ts';
import { GateProcess } from '../gate/support/gate-process.ts';
import { NAMES_PATH, OperatorProcess } from '../gate/support/operator-process.ts';
import { review, verdict, WebhookClient } from '../gate/support/reviews.ts';
import { post } from '../manager/webhooks/post.ts';
import { machineLoad } from './figures.ts';

const RUNS = 5;
const REVIEWS = 1_000;
const BYTES = 8_000;

/** The bare function, from the text of a review to that of its answer. */
function bare(text: string): string {
  const { request } = JSON.parse(text) as { request: { uid: string; object: Named } };
  const denied = hasGoodName(request.object.metadata.name);
  return verdict({ uid: request.uid, allowed: denied === undefined });
}

interface Named {
  readonly metadata: { readonly name: string };
}

/** Milliseconds that `work` takes. */
async function timed(work: () => unknown): Promise<number> {
  const startedAt = performance.now();
  await work();
  return performance.now() - startedAt;
}

async function answered(reply: Promise<{ readonly status: number }>): Promise<void> {
  const { status } = await reply;
  if (status !== 200) throw new Error(`a review was answered with ${status}`);
}

function at(times: readonly number[], share: number): number {
  const sorted = times.toSorted((one, other) => one - other);
  return sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN;
}

const operator = await OperatorProcess.start();
const gate = await GateProcess.start({ paths: [NAMES_PATH], operator: operator.address });
const throughGate = new WebhookClient(gate);
const plain = `http://${operator.address}`;
const agent = new Agent({ keepAlive: true });
const { path } = NAMES_PATH;
const text = review('0123', BYTES);
process.stdout.write(
  `Node ${process.version}, ${cpus().length} cores, reviews of ${text.length} bytes, load ${machineLoad()}\n`,
);
const added: number[] = [];
for (let run = 0; run <= RUNS; run++) {
  const times = { bare: [] as number[], operator: [] as number[], gate: [] as number[] };
  for (let sent = 0; sent < REVIEWS; sent++) {
    times.bare.push(await timed(() => bare(text)));
    times.operator.push(await timed(() => answered(post(plain, text, { path, agent }))));
    times.gate.push(await timed(() => answered(throughGate.post(path, text))));
  }
  if (run === 0) continue; // compilers and caches warm up
  const [median, p99] = [at(times.gate, 0.5), at(times.gate, 0.99)];
  added.push(median - at(times.bare, 0.5));
  process.stdout.write(
    `  run ${run}: function ${at(times.bare, 0.5).toFixed(3)} ms, operator ${at(times.operator, 0.5).toFixed(2)} ms, ` +
      `whole way ${median.toFixed(2)} ms (p99 ${p99.toFixed(2)}), added ${added.at(-1)?.toFixed(2)} ms\n`,
  );
}
process.stdout.write(
  `added at the median: ${at(added, 0.5).toFixed(2)} ms (${at(added, 0).toFixed(2)} - ${at(added, 1).toFixed(2)}), load ${machineLoad()}\n`,
);
throughGate.close();
agent.destroy();
await gate.stop();
await operator.stop();
