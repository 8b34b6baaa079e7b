/**
 * Operators with one fault each run as processes, until the fault triggers a record by itself. A replay of that record makes
 * the same first wrong write.
 */
import { expect, test } from 'vitest';
import { bodyDifferences } from '../../../operator/flight/replay/body-differences.ts';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { objectsOf, SOAK_FAULTS, type SoakFault } from './soak-faults.ts';
import { controllersOf, recordedWrites, type SoakWrite, startRun } from './soak-run.ts';

const KEY = 'demo/web';

function firstWrong(writes: readonly SoakWrite[], { isWrong }: SoakFault): SoakWrite | undefined {
  return writes.find((write, index) => isWrong(write, writes.slice(0, index)));
}

test.each(
  SOAK_FAULTS,
)('the replay of the record of $name makes the same wrong write', async (fault) => {
  const { operators, environment = {}, prepare, reason, exitCode, beginsLater = false } = fault;
  const run = await startRun(operators, objectsOf(fault), environment, prepare);
  await fault.happen(run);
  const record = await run.record(reason);
  if (exitCode !== undefined) expect(await run.child.exit).toBe(exitCode);

  const { header, lines, cutOff } = record;
  expect({ cutOff, reason: header.reason }).toEqual({ cutOff: undefined, reason });
  expect(header.why).toMatch(fault.why);
  const [first] = lines;
  expect(first?.kind === 'state' && first.segment > 0).toBe(beginsLater);
  const recorded = firstWrong(recordedWrites(record, KEY), fault);
  if (recorded === undefined) throw new Error('the record has no wrong write');

  const found = await replay({ record, controllers: await controllersOf(operators) });

  expect(found.differences).toEqual([]);
  expect(found.notes.join('\n')).toMatch(fault.note ?? /^/);
  const { method, path, body } = firstWrong(found.ofKey(KEY).writes, fault) ?? {};
  expect({ method, path }).toEqual({ method: recorded.method, path: recorded.path });
  expect(bodyDifferences(recorded.body, body, false).texts).toEqual([]);
});
