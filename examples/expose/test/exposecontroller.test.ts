/** What jenkins-x/exposecontroller promises, against an API server. */

import { eventually } from '@chancery/testing';
import { expect, test } from 'vitest';
import {
  configure,
  createIngress,
  createService,
  ingress,
  pathsOf,
  start,
  urlOf,
} from './support/jenkins-x.ts';

test('acceptance C2: the option `cleanup` removes only generated objects', async () => {
  const place = await start({ domain: 'example.org' });
  await createIngress(place, 'mine');
  await createService(place, 'svc');
  await createService(place, 'kept');
  await eventually(() => urlOf(place, 'svc'));
  await eventually(() => urlOf(place, 'kept'));

  await configure(place, { domain: 'example.org', cleanup: true, filter: 'sv' });
  await eventually(async () => (await ingress(place, 'svc')) === undefined);
  await eventually(async () => (await urlOf(place, 'svc')) === undefined);

  expect(await ingress(place, 'mine')).toBeDefined();
  expect(await ingress(place, 'kept')).toBeDefined();
});

test('a configuration may be added later, and an unreadable configuration is reported and changes nothing', async () => {
  const place = await start();
  await createService(place, 'web', { expose: '/shop', 'fabric8.io/ingress.name': 'jx' });
  await eventually(() => ingress(place, 'web')); // that of the other form: both side by side

  await configure(place, { domain: 'example.org' });
  await eventually(() => urlOf(place, 'web'));
  await configure(place, { exposer: 'Route' });
  await eventually(async () => (await place.events('InvalidConfig')).length === 1);

  expect(await pathsOf(place, 'jx')).toEqual(['/']);
  expect(await pathsOf(place, 'web')).toEqual(['/shop']);
});
