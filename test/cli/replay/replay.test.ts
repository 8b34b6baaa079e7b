import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { replayIncident } from '@chancery/testing';
import { describe, expect, it } from 'vitest';
import { copying } from '../../flight/replay/copy-incident.ts';
import { chancery } from '../child.ts';
import { invoke } from '../invocation.ts';
import { incidentWith, OPERATOR, textOf } from './incident-folder.ts';

describe('the command `chancery replay`', () => {
  it('`replay` reports that the code does the same as recorded', async () => {
    const { record, operator } = incidentWith(OPERATOR);
    const { exit, stdout, stderr } = chancery(['replay', record, operator]);

    expect(await exit).toBe(0);
    expect(textOf(stdout)).toBe('the same as recorded: 2 attempts and 2 writes, to 310.000 s\n');
    expect(textOf(stderr)).not.toContain('warning');
  });

  it('`replay` stops at the first difference if the module is the one that was recorded', async () => {
    const changed = OPERATOR.replace('-copy`', '-2-copy`');
    const { record, operator } = incidentWith(changed);
    const { exit, stdout } = chancery(['replay', record, operator]);

    expect(await exit).toBe(1);
    expect(
      textOf(stdout),
    ).toContain(`the first difference is at 2.001 s (2026-03-01T10:00:02.001Z), controller copy, attempt 1 at demo/web:
  recorded: POST /api/v1/namespaces/demo/configmaps of web-copy
  now:      POST /api/v1/namespaces/demo/configmaps of web-2-copy
    metadata.name was "web-copy", and is "web-2-copy"
`);
  });

  it('if the code has changed, `replay` continues after the first difference, and reports where it is', async () => {
    const { record, operator } = incidentWith(OPERATOR.replace('-copy`', '-2-copy`'), OPERATOR);
    const { exit, stdout, stderr } = chancery(['replay', record, operator]);

    expect(await exit).toBe(1);
    expect(textOf(stderr)).toContain('another operator, or all of it has changed');
    expect(textOf(stdout)).toContain('the replay leaves the record at 2.001 s');
    expect(textOf(stdout)).toContain('replayed: 2 attempts and 0 writes, to 310.000 s\n');
  });

  it('`replay` reports where code uses the clock, randomness or the network directly', async () => {
    const own = OPERATOR.replace(
      'const copy =',
      'if (Date.now() + Math.random() < 0) return;\n    await fetch("http://127.0.0.1:1/").catch(() => {});\n    const copy =',
    );
    const { record, operator } = incidentWith(own);
    const { exit, stdout } = chancery(['replay', record, operator]);

    expect(await exit).toBe(0);
    expect(textOf(stdout)).toContain(`${operator}:10: note: the clock is read`);
    expect(textOf(stdout)).toContain(`${operator}:10: warning: randomness`);
    expect(textOf(stdout)).toContain(`${operator}:11: error: the network`);
  });

  it('`replay --until` ends after a duration or at a time of day', async () => {
    const { record, operator } = incidentWith(OPERATOR);
    for (const until of ['5s', '2026-03-01T10:00:05Z']) {
      const { exit, stdout } = chancery(['replay', record, operator, '--until', until]);

      expect(await exit).toBe(0);
      expect(textOf(stdout)).toContain('1 attempt and 1 write, to 5.000 s');
    }
  });

  it('`replay --to-test` writes a test that passes when the code behaves differently', async () => {
    const { record, operator } = incidentWith(OPERATOR);
    const out = join(dirname(operator), 'web.test.ts');
    const { exit, stderr } = chancery(['replay', record, operator, '--to-test', out]);

    expect(await exit).toBe(0);
    expect(textOf(stderr)).toContain(`${out} has what happened to demo/web`);
    const text = readFileSync(out, 'utf8');
    expect(text).toContain('import operator from "./operator.ts";');
    const [, incident = ''] = /INCIDENT: .* = (\[[\s\S]*\]);\n$/.exec(text) ?? [];
    const lines = JSON.parse(incident.replace(/,\n\]$/, '\n]')) as Parameters<
      typeof replayIncident
    >[0];
    const [, wrong = ''] = /expect\(end\.objects\)\.not\.toEqual\(([\s\S]*?)\);\n/.exec(text) ?? [];
    const end = (suffix: string): ReturnType<typeof replayIncident> =>
      replayIncident(lines, { controllers: [copying(suffix)], key: 'demo/web' });
    expect((await end('-copy')).objects).toEqual(JSON.parse(wrong));
    expect((await end('-2-copy')).objects).not.toEqual(JSON.parse(wrong));
  });

  it.each([
    [['--until', 'soon'], '--until must be a duration'],
    [['--until', '20m'], 'outside of the record, which goes from 1.000s to 310.000s'],
    [['--to-test', 'web.ts'], '--to-test must name a test file'],
  ])('`replay` refuses the arguments %j', async (options, why) => {
    const { record, operator } = incidentWith(OPERATOR);
    const { exit, stderr } = invoke(['replay', record, operator, ...options]);

    expect(await exit).toBe(2);
    expect(textOf(stderr)).toContain(why);
  });

  it('`replay` refuses a module if its controllers differ from the recorded controllers', async () => {
    const { record, operator } = incidentWith(OPERATOR.replace("'copy'", "'other'"), OPERATOR);
    const { exit, stderr } = invoke(['replay', record, operator]);

    expect(await exit).toBe(2);
    expect(textOf(stderr)).toContain('the record is of copy, and the modules have other');
  });
});
