/**
 * `npm run prove -- mutations`: puts one fault after another into a copy of the checkout, and runs the tests that can
 * see it, the nearest first, until one fails.
 */
import process from 'node:process';
import { isWhole, optionsOrExit } from '../scripts/options.ts';
import { copiedCheckout, mutate, ROOT } from './checkout.ts';
import { Lane } from './lane.ts';
import { MUTATIONS, type Mutation } from './list.ts';
import { importersIn } from './related.ts';

const USAGE = `usage: npm run prove -- mutations [--only N]... [--lane test|all]

Puts each fault of test/mutations/list.json into a copy of the checkout, and says which file of tests finds it.

  --only N    the fault of this number; may come again. Default: all
  --lane test what npm test runs: the default
  --lane all  what npm test does not find is shown to the tests of all other lanes that need only Node

Exits 0 when npm test finds at least 95 of 100 faults that a lane finds, 1 when it finds less or a fault has no place
any more, 2 for wrong arguments. Without --lane all, every fault counts as one that a lane finds.
`;
const SHARE = 0.95;

process.once('SIGINT', () => process.exit(130)).once('SIGTERM', () => process.exit(143));
const { only = [], lane } = optionsOrExit(
  USAGE,
  { only: { type: 'string', multiple: true }, lane: { type: 'string', default: 'test' } },
  ({ only: asked = [], lane: name }) => {
    const unknown = asked.find(
      (each) => !isWhole(each) || MUTATIONS[Number(each) - 1] === undefined,
    );
    if (unknown !== undefined) return `--only ${unknown}: the list has 1 to ${MUTATIONS.length}`;
    return ['test', 'all'].includes(name) ? undefined : '--lane takes test or all';
  },
);
const numbers = only.length > 0 ? only.map(Number) : MUTATIONS.map((_, at) => at + 1);
process.exitCode = await prove(numbers, lane === 'all');

async function prove(numbers: readonly number[], isAll: boolean): Promise<number> {
  const copy = copiedCheckout();
  const importers = importersIn(ROOT);
  const lanes = [new Lane(copy, importers, ['node', 'whole-process'])];
  if (isAll)
    lanes.push(
      new Lane(copy, importers, [
        '!node',
        '!whole-process',
        '!tools',
        '!kubectl-proxy',
        '!again-properties',
      ]),
    );
  const found = lanes.map(() => 0);
  let stale = 0;
  for (const number of numbers) {
    const mutation = MUTATIONS[number - 1];
    if (mutation === undefined) continue;
    const [at, by] = await finderOf(copy, mutation, lanes);
    if (at === -1) stale += 1;
    else if (at < lanes.length) found[at] = (found[at] ?? 0) + 1;
    process.stdout.write(`${number} ${mutation.file}: ${by}\n`);
  }
  const [byTest = 0, byOthers = 0] = found;
  const counted = isAll ? byTest + byOthers : numbers.length;
  process.stdout.write(
    `found by npm test: ${byTest} of ${counted}${isAll ? `; found by no lane: ${numbers.length - stale - counted}` : ''}\n`,
  );
  return stale === 0 && byTest >= SHARE * counted ? 0 : 1;
}

/** The place of the lane that finds the fault, and what it says; behind the last lane when none does, -1 without a place. */
async function finderOf(
  copy: string,
  mutation: Mutation,
  lanes: readonly Lane[],
): Promise<readonly [at: number, by: string]> {
  try {
    mutate(copy, mutation)();
  } catch (error) {
    return [-1, (error as Error).message];
  }
  for (const [at, lane] of lanes.entries()) {
    const finder = await lane.finderOf(mutation);
    if (finder !== undefined) return [at, `found by ${finder}`];
  }
  return [lanes.length, 'NOT FOUND'];
}
