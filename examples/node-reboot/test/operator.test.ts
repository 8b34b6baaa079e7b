import { consistently, eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  AFTER_REBOOT,
  BEFORE_REBOOT,
  REBOOT_IN_PROGRESS,
  REBOOT_NEEDED,
  REBOOT_OK,
} from '../protocol.ts';
import { back, needReboot, startCluster } from './cluster.ts';
import { annotation, isLabelled, isOk } from './node-facts.ts';

test('acceptance 2: a Node gets permission once the checks before its reboot succeed, and ends once the later checks succeed', async () => {
  const settings = { BEFORE_REBOOT_ANNOTATIONS: 'x', AFTER_REBOOT_ANNOTATIONS: 'y,example.com/z' };
  const cluster = await startCluster({ agents: false, settings });
  await cluster.annotate('node-1', { x: 'true' }); // of an earlier reboot: no answer

  await needReboot(cluster, 'node-1');
  await eventually(() => isLabelled(cluster, 'node-1', BEFORE_REBOOT));
  expect(await annotation(cluster, 'node-1', 'x')).toBeUndefined();
  await cluster.annotate('node-1', { x: 'false' });
  await consistently(async () => !(await isOk(cluster, 'node-1')), { forMs: 200 });
  await cluster.annotate('node-1', { x: 'true' });
  await eventually(() => isOk(cluster, 'node-1'));
  expect(await annotation(cluster, 'node-1', 'x')).toBeUndefined();
  expect(await isLabelled(cluster, 'node-1', BEFORE_REBOOT)).toBe(false);

  await back(cluster, 'node-1');
  await eventually(() => isLabelled(cluster, 'node-1', AFTER_REBOOT));
  await cluster.annotate('node-1', { y: 'true' });
  await consistently(() => isOk(cluster, 'node-1'), { forMs: 200 });
  await cluster.annotate('node-1', { 'example.com/z': 'true' });
  await eventually(async () => !(await isOk(cluster, 'node-1')));
  const { labels, annotations } = (await cluster.node('node-1')).metadata;
  expect(Object.keys({ ...labels, ...annotations }).toSorted()).toEqual([
    REBOOT_IN_PROGRESS,
    REBOOT_NEEDED,
    REBOOT_OK,
  ]);
});
