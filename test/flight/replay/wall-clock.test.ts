/** A wall clock that was set while the record was made. */
import { type Controller, controller } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { describe, expect, it } from 'vitest';
import { untilAt } from '../../../operator/cli/replay/arguments.ts';
import { replay } from '../../../operator/flight/replay/replay.ts';
import { configMap, MadeRecord, PATH, WALL } from './made-record.ts';

const HOUR_MS = 3_600_000;

/** Writes the time of day, which it reads from the clock of JavaScript. */
const timing: Controller = controller({
  name: 'copy',
  for: configMaps,
  permissions: [{ resource: configMaps, verbs: ['patch'] }],
  async reconcile({ metadata: { name, namespace } }, { client }) {
    const body = { data: { writtenTime: new Date().toISOString() } };
    await client.patch(configMaps, { name, namespace }, { type: 'merge', body });
  },
}) as Controller;

/** The clock goes back by an hour at 2 s, and 3 h forward at 4 s. */
function jumpedRecord(): MadeRecord {
  const change = (made: MadeRecord, at: number, wall: number, version: string): MadeRecord => {
    const data = { writtenTime: new Date(wall).toISOString() };
    const path = `${PATH}/web?fieldManager=copy&fieldValidation=Warn`;
    const answer = configMap('web', version, data);
    return made
      .event(at - 1, 'MODIFIED', configMap('web', version, { round: version }))
      .attempt(at, 'demo/web', [{ method: 'PATCH', path, status: 200, body: { data }, answer }]);
  };
  const made = new MadeRecord({ objects: [configMap('web', '9', {})] });
  change(made, 1_500, WALL + 1_500, '11');
  made.add({ kind: 'clock', at: 2_000, wall: WALL + 2_000 - HOUR_MS });
  change(made, 3_000, WALL + 3_000 - HOUR_MS, '12');
  made.add({ kind: 'clock', at: 4_000, wall: WALL + 4_000 + 2 * HOUR_MS });
  return change(made, 5_000, WALL + 5_000 + 2 * HOUR_MS, '13');
}

describe('replaying a jump of the wall clock', () => {
  it('for code that reads the clock, the wall clock jumps in the replay as in the record', async () => {
    const found = await replay({ record: jumpedRecord().record(), controllers: [timing] });

    expect(found).toMatchObject({ differences: [], attempts: 3, writes: 3 });
    expect(found.notes).toEqual([
      'the wall clock was set back by 3600.0 s while the record was made; the replay does the same',
      'the wall clock was set forward by 10800.0 s while the record was made; the replay does the same',
    ]);
  });

  it('the times that a replay reports include the recorded jumps of the wall clock', async () => {
    const { wallAt } = await replay({ record: jumpedRecord().record(), controllers: [timing] });

    expect([1_500, 3_000, 5_000].map((at) => wallAt(at) - WALL - at)).toEqual([
      0,
      -HOUR_MS,
      2 * HOUR_MS,
    ]);
  });

  it.each([
    ['before the first jump', 1_500, 1_500],
    ['after the clock was set back', 3_000 - HOUR_MS, 3_000],
    ['in the time that a jump skipped', HOUR_MS, 4_000],
    ['after the clock was set forward', 5_000 + 2 * HOUR_MS, 5_000],
  ])('a time of day for `--until` is a time of the recorded clock: %s', (_, ahead, at) => {
    expect(untilAt(new Date(WALL + ahead).toISOString(), jumpedRecord().record())).toBe(at);
  });

  it('a time of day is refused if it is before the record begins', () => {
    const early = new Date(WALL + 500).toISOString();

    expect(() => untilAt(early, new MadeRecord().record())).toThrow('outside of the record');
  });
});
