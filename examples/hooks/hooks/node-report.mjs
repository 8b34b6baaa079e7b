#!/usr/bin/env node
// Every five minutes: how many nodes there are, and which are not ready, as a ConfigMap and as metrics.
import { readFileSync, writeFileSync } from 'node:fs';

const CONFIG = {
  configVersion: 'v1',
  schedule: [{ name: 'report', crontab: '*/5 * * * *', includeSnapshotsFrom: ['nodes'] }],
  kubernetes: [
    {
      name: 'nodes',
      kind: 'Node',
      executeHookOnEvent: [],
      executeHookOnSynchronization: false,
      keepFullObjectsInMemory: false,
      jqFilter:
        '{name: .metadata.name, isReady: any(.status.conditions[]?; .type == "Ready" and .status == "True")}',
    },
  ],
};

function report({ snapshots }) {
  const nodes = snapshots.nodes.map(({ filterResult }) => filterResult);
  const notReady = nodes.filter(({ isReady }) => !isReady).map(({ name }) => name);
  const data = { nodes: String(nodes.length), notReady: notReady.join(' ') };
  const metadata = { name: 'node-report', namespace: process.env.POD_NAMESPACE ?? 'default' };
  const patch = {
    operation: 'CreateOrUpdate',
    object: { apiVersion: 'v1', kind: 'ConfigMap', metadata, data },
  };
  const metrics = [
    { name: 'nodes', set: nodes.length },
    { name: 'nodes_not_ready', set: notReady.length },
  ];
  writeFileSync(process.env.KUBERNETES_PATCH_PATH, JSON.stringify(patch));
  writeFileSync(process.env.METRICS_PATH, metrics.map((each) => JSON.stringify(each)).join('\n'));
}

if (process.argv[2] === '--config') process.stdout.write(JSON.stringify(CONFIG));
else report(JSON.parse(readFileSync(process.env.BINDING_CONTEXT_PATH, 'utf8')).at(-1));
