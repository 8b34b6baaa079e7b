/** The test kit. At the end of the process all requests are in the file `CHANCERY_TEST_REQUESTS`. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import * as kit from '@chancery/testing';

export * from '@chancery/testing';

const environments: kit.TestEnv[] = [];

export const startTestEnv: typeof kit.startTestEnv = async (options) => {
  const env = await kit.startTestEnv(options);
  environments.push(env);
  return env;
};

process.on('exit', () => {
  const requests = environments.flatMap(({ requests }) => requests.of());
  writeFileSync(process.env.CHANCERY_TEST_REQUESTS ?? '', JSON.stringify(requests));
});
