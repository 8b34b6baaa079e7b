/** The Node hook of this example at a cluster, with the rights and the filter that are generated for it. */
import { eventually } from '@chancery/testing';
import type { KubernetesObject } from 'chancery';
import { expect, test } from 'vitest';
import { startHooks } from '../../../packages/hooks/test/support/place.ts';
import { filesOf, PATIENT } from './hook-files.ts';

/** A test waits for no five minutes. */
function everySecond(files: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(files).map(([name, text]) => [name, text.replace('*/5 * * * *', '* * * * * *')]),
  );
}

test('[hooks 1] the Node hook writes on a schedule which nodes are not ready', async () => {
  const place = await startHooks({
    files: everySecond(filesOf('node-report.mjs')),
    allNamespaces: true,
    stopped: true,
  });
  for (const [name, status] of [
    ['north', 'True'],
    ['south', 'False'],
  ] as const) {
    await place.env.create({ apiVersion: 'v1', kind: 'Node', metadata: { name } });
    const conditions = [{ type: 'Ready', status }];
    await place.env.patch('v1', 'Node', undefined, name, { status: { conditions } }, 'status');
  }
  place.startOperator();

  const report = await eventually(
    () => place.env.get<ConfigMap>('v1', 'ConfigMap', 'default', 'node-report'),
    PATIENT,
  );

  expect(report.data).toEqual({ nodes: '2', notReady: 'south' });
});

type ConfigMap = KubernetesObject & { readonly data: Readonly<Record<string, string>> };
