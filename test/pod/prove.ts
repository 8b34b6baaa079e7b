/** `npm run prove -- pod`: the Pod test, also with what takes longer than tests may. */
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { optionsOrExit } from '../scripts/options.ts';

const USAGE = `usage: npm run prove -- pod [--slow]

Runs the ambassador and the operator from their images and manifests as one Pod, in Linux namespaces.

  --slow   also what takes a minute each: a token that is replaced under a running ambassador, and a
           preStop that sleeps to its end
  --help   this text
`;

const values = optionsOrExit(USAGE, { slow: { type: 'boolean', default: false } });
const vitest = fileURLToPath(new URL('../../node_modules/vitest/vitest.mjs', import.meta.url));
const { status } = spawnSync(process.execPath, [vitest, 'run', 'test/pod', '--reporter=verbose'], {
  stdio: 'inherit',
  env: { ...process.env, CHANCERY_POD_SLOW: String(values.slow) },
});
process.exit(status ?? 1);
