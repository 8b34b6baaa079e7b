/** What a Pod says of variables that programs can read although they are not given them. */
import process from 'node:process';
import { expect, test } from 'vitest';
import { warnOfExposedEnvironment } from '../../operator/cli/exposed-environment.ts';
import { exposedVariables } from '../../operator/process/closed-to-programs.ts';
import { recordingLog } from '../support/recording-log.ts';

const IN_POD = { env: { POD_NAMESPACE: 'farm' } };

test.runIf(process.platform === 'linux')(
  '[found 4] in a Pod, the log lists the variables that hooks can read, without the values',
  async () => {
    const { lines, logFor } = recordingLog();
    const all = await exposedVariables({});
    const given = Object.fromEntries(
      all.filter((name) => name !== 'PATH').map((name) => [name, '']),
    );

    await warnOfExposedEnvironment(given, IN_POD, logFor({}));

    expect(lines).toMatchObject([{ level: 'warn', fields: { variables: ['PATH'] } }]);
    expect(JSON.stringify(lines)).not.toContain(process.env.PATH);
  },
);

test('[found 4] the log says nothing if no variable is exposed, or outside a Pod', async () => {
  const { lines, logFor } = recordingLog();
  const all = Object.fromEntries((await exposedVariables({})).map((name) => [name, '']));

  await warnOfExposedEnvironment(all, IN_POD, logFor({}));
  await warnOfExposedEnvironment({}, { env: {} }, logFor({}));

  expect(lines).toEqual([]);
});
