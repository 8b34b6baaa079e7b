/** `chancery replay` of an operator that crashes: the command itself goes on. */
import { expect, it } from 'vitest';
import { configMap, MadeRecord } from '../../flight/replay/made-record.ts';
import { chancery } from '../child.ts';
import { incidentWith, OPERATOR, textOf } from './incident-folder.ts';

const CRASHING = OPERATOR.replace(
  'const copy =',
  "void Promise.reject(new Error('it broke'));\n    return;\n    const copy =",
);

function crashed(reason: 'crash' | 'asked'): MadeRecord {
  return new MadeRecord()
    .event(309_000, 'ADDED', configMap('web', '11', { a: '1' }))
    .attempt(309_001, 'demo/web', [])
    .header({ reason, why: 'it broke' });
}

it('if the code crashes as recorded, `replay` reports that, and exits with 0', async () => {
  const { record, operator } = incidentWith(CRASHING, CRASHING, crashed('crash'));

  const { exit, stdout, stderr } = chancery(['replay', record, operator]);

  expect(await exit).toBe(0);
  expect(textOf(stdout)).toContain('the same as recorded: 1 attempt and 0 writes');
  expect(textOf(stdout)).toContain('note: the replay ends with the crash that was recorded');
  expect(textOf(stderr)).not.toContain('unhandled rejection');
});

it('if the code crashes although the recorded process did not crash, `replay` exits with 1', async () => {
  const { record, operator } = incidentWith(CRASHING, CRASHING, crashed('asked'));

  const { exit, stderr } = chancery(['replay', record, operator]);

  expect(await exit).toBe(1);
  expect(textOf(stderr)).toContain('the replayed code crashes at 309.001 s');
});
