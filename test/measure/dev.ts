/**
 * How long `chancery dev` takes from a save to the first finished reconcile of the new code: 20 saves of an
 * imported module, each when the operator of the save before has reconciled. The
 * ambassador is a real `kubectl proxy` where there is a kubectl (`KUBECTL`, or the one on the PATH), else the
 * stand-in; the first line says which.
 * `npm run measure -- dev`. See docs/measurements.md.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { findKubectl } from '@chancery/testing';
import { machineLoad, row } from './figures.ts';

const SAVES = 20;
const COMMAND = fileURLToPath(new URL('../../operator/cli/chancery.js', import.meta.url));

/** A project has TypeScript: its check of types runs at the same time. */
const FILES: Readonly<Record<string, string>> = {
  'package.json': '{ "type": "module" }',
  'tsconfig.json': '{ "files": ["word.ts"], "compilerOptions": { "strict": true } }',
  'sample.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: sample, namespace: demo }\n',
  'operator.ts': `
import { controller, source } from 'chancery';
import { configMaps } from 'chancery/kubernetes';
import { word } from './word.ts';

export default controller({
  name: 'hello',
  for: source(configMaps),
  async reconcile(_configMap, { key, log }) {
    if (key === 'demo/sample') setImmediate(() => log.info({ word }, 'measured'));
  },
});
`,
};

const project = realpathSync(mkdtempSync(join(tmpdir(), 'chancery-measure-dev-')));
for (const [name, text] of Object.entries(FILES)) writeFileSync(join(project, name), text);
save('start');
for (const name of ['typescript', '@typescript']) {
  const target = fileURLToPath(new URL(`../../node_modules/${name}`, import.meta.url));
  const link = join(project, 'node_modules', name);
  mkdirSync(dirname(link), { recursive: true });
  symlinkSync(target, link);
}
const kubectl = findKubectl(process.env);
const dev = spawn(process.execPath, [COMMAND, 'dev', '--samples', 'sample.yaml'], {
  cwd: project,
  stdio: ['ignore', 'ignore', 'pipe'],
  env: {
    ...process.env,
    CHANCERY_LOG_FORMAT: 'json',
    ...(kubectl !== undefined && { KUBECTL: kubectl }),
  },
});
try {
  await measure(dev);
} finally {
  dev.kill('SIGINT');
  await once(dev, 'exit');
  rmSync(project, { recursive: true });
}

async function measure(child: ChildProcess): Promise<void> {
  if (child.stderr === null) throw new Error('no stderr');
  const lines = createInterface({ input: child.stderr });
  const startedAt = performance.now();
  let ambassador = '';
  lines.on('line', (line) => {
    if (line.startsWith('dev: ambassador')) ambassador = line.replace(/^.*\((.*)\)$/, '$1');
  });
  await reconciled('start');
  const firstMs = performance.now() - startedAt;
  process.stdout.write(
    `Node ${process.version}, ${ambassador}: milliseconds, ` +
      `median (least - most) of ${SAVES} saves; load ${machineLoad()}\n`,
  );
  const figures: number[] = [];
  for (let at = 1; at <= SAVES; at++) {
    const savedAt = performance.now();
    save(`save ${at}`);
    await reconciled(`save ${at}`);
    figures.push(performance.now() - savedAt);
  }
  process.stdout.write(row('from the command to the first reconcile', [firstMs]));
  process.stdout.write(row('from a save to the first reconcile', figures));
  process.stdout.write(`load ${machineLoad()}\n`);

  async function reconciled(word: string): Promise<void> {
    await new Promise<void>((resolve) => {
      const look = (line: string): void => {
        if (!line.includes(`"word":"${word}"`)) return;
        lines.off('line', look);
        resolve();
      };
      lines.on('line', look);
    });
  }
}

function save(word: string): void {
  writeFileSync(join(project, 'word.ts'), `export const word: string = '${word}';\n`);
}
