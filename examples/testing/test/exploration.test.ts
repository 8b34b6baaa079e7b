/** Each example in many orders of events: its sample, a change of a person, late watches, lost answers and restarts. */
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { explore, type Scenario } from '@chancery/testing';
import type { Controller } from 'chancery';
import { expect, test } from 'vitest';
import blogpost from '../../blogpost/operator.ts';
import database from '../../database/operator.ts';
import expose from '../../expose/operator.ts';
import foo from '../../foo/operator.ts';
import mysql from '../../mysql/operator.ts';
import { nodeReboot } from '../../node-reboot/operator.ts';
import { REBOOT_NEEDED } from '../../node-reboot/protocol.ts';
import { rebootSettingsFrom } from '../../node-reboot/settings.ts';
import prometheus from '../../prometheus/operator.ts';
import tdset from '../../tdset/operator.ts';
import { website } from '../../website/operator.ts';

const EXAMPLES = fileURLToPath(new URL('../../', import.meta.url));

/** Each schedule costs up to 30 ms, and this is one test of many. `SCHEDULES=5000` tries more. */
const SCHEDULES = process.env.SCHEDULES;
const LIMITS =
  SCHEDULES === undefined
    ? { maxDeviations: 1, maxSchedules: 25, timeLimitMs: 10_000 }
    : { maxSchedules: Number(SCHEDULES), timeLimitMs: 600_000 };

function textsOf(...patterns: readonly string[]): string {
  const files = patterns.flatMap((pattern) => globSync(pattern, { cwd: EXAMPLES }).sort());
  return files.map((file) => readFileSync(EXAMPLES + file, 'utf8')).join('\n---\n');
}

/** A person changes one object of the sample. */
function changed(
  apiVersion: string,
  kind: string,
  name: string,
  spec: object,
): NonNullable<Scenario['changes']> {
  return [
    {
      name: `a person changes ${kind} ${name}`,
      apply: (cluster) => void cluster.patch(apiVersion, kind, 'default', name, { spec }),
    },
  ];
}

function node(name: string) {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name } };
}

function needsReboot(name: string): NonNullable<Scenario['changes']>[number] {
  const needed = { [REBOOT_NEEDED]: 'true' };
  return {
    name: `Node ${name} needs to reboot`,
    apply: (cluster) =>
      void cluster.patch('v1', 'Node', undefined, name, {
        metadata: { labels: needed, annotations: needed },
      }),
  };
}

const SCENARIOS: readonly Scenario[] = [
  {
    name: 'website',
    objects: textsOf('website/crd.yaml', 'website/sample/*.yaml'),
    controllers: () => [website as Controller],
    changes: [
      ...changed('example.dev/v1', 'Website', 'hello', { replicas: 3 }),
      {
        name: 'a person deletes Website hello',
        apply: (cluster) => cluster.delete('example.dev/v1', 'Website', 'default', 'hello'),
      },
    ],
  },
  {
    name: 'blogpost',
    objects: textsOf('blogpost/crd.yaml', 'blogpost/sample/*.yaml'),
    controllers: () => [blogpost as Controller],
    // Without a title a post is not published, unless it was before: that end depends on the order, as it should.
    changes: changed('iximiuz.com/v1alpha1', 'BlogPost', 'blog-post-1', { title: 'Another' }),
  },
  {
    name: 'foo',
    objects: textsOf('foo/crd.yaml', 'foo/sample/*.yaml'),
    controllers: () => [foo as Controller],
    changes: changed('samplecontroller.k8s.io/v1alpha1', 'Foo', 'example-foo', {
      deploymentName: 'other',
    }),
  },
  {
    name: 'tdset',
    objects: textsOf('tdset/crd.yaml', 'tdset/sample/*.yaml'),
    controllers: () => [tdset as Controller],
    changes: changed('schedule.rs/v1', 'TDSet', 'tdset-sample', { schedulingConfig: [] }),
  },
  {
    name: 'prometheus',
    objects: textsOf('prometheus/crds/*.yaml', 'prometheus/sample/*.yaml'),
    controllers: () => [prometheus as Controller],
    changes: changed('monitoring.coreos.com/v1', 'ServiceMonitor', 'shop', {
      endpoints: [{ port: 'other' }],
    }),
  },
  {
    name: 'expose',
    objects: textsOf('expose/sample/web-app.yml'),
    controllers: () => expose as readonly Controller[],
    changes: changed('apps/v1', 'Deployment', 'web-app', { replicas: 2 }),
  },
  {
    name: 'mysql',
    objects: textsOf('mysql/definitions/*.yaml', 'mysql/sample/{secret,cluster-config}.yaml'),
    controllers: () => mysql as readonly Controller[],
    changes: changed('cr.mysqloperator.grtl.github.com/v1', 'MySQLCluster', 'my-cluster', {
      replicas: 3,
    }),
  },
  {
    name: 'database',
    objects: textsOf('database/crds/*.yaml', 'database/sample/sample-db.yaml'),
    controllers: () => database as readonly Controller[],
    changes: changed('example.dev/v1', 'SampleDB', 'orders', { replicas: 2 }),
    // Whoever comes first draws the password.
    ignore: (object) => (object.kind === 'Secret' ? ({ ...object, data: {} } as never) : object),
  },
  {
    name: 'node-reboot',
    objects: [node('a'), node('b')],
    controllers: () => [nodeReboot(rebootSettingsFrom({})) as Controller],
    changes: [needsReboot('a'), needsReboot('b')],
    // Which of the two comes first is not said, and one at a time reboots.
    ignore: (object) => (object.kind === 'Node' ? undefined : object),
  },
];

test.each(SCENARIOS)('$name comes to the same state in every order', async (scenario) => {
  expect(await explore(scenario, LIMITS)).toMatchObject({ scenario: scenario.name });
});
