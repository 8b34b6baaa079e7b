/** A Prometheus in many orders of events, with ServiceMonitors that come, change and go. */
import type { Scenario } from '@chancery/testing';
import type { Controller } from 'chancery';
import { expect, test } from 'vitest';
import {
  COLLECTED,
  creates,
  deletes,
  EXPLORING,
  explored,
  patches,
  type Target,
  textsOf,
} from '../../testing/exploring.ts';
import prometheus from '../operator.ts';

const SHOP: Target = ['monitoring.coreos.com/v1', 'ServiceMonitor', 'shop'];
const CART: Target = ['monitoring.coreos.com/v1', 'ServiceMonitor', 'cart'];
const PROMETHEUS: Target = ['monitoring.coreos.com/v1', 'Prometheus', 'prometheus'];

const scenario: Scenario = {
  name: 'prometheus',
  objects: textsOf('prometheus/crds/*.yaml', 'prometheus/sample/*.yaml'),
  controllers: () => [prometheus as Controller],
  workloads: COLLECTED,
  changes: [
    patches('a team changes what of the shop is scraped', SHOP, {
      spec: { endpoints: [{ port: 'other' }] },
    }),
    creates(
      'a team wants its cart to be scraped',
      CART,
      { spec: { selector: { matchLabels: { app: 'cart' } }, endpoints: [{ port: 'web' }] } },
      { labels: { team: 'frontend' } },
    ),
    patches('a person scales the Prometheus to 2', PROMETHEUS, { spec: { replicas: 2 } }),
    deletes('a team does not want its shop to be scraped any more', SHOP),
    patches('the cart is of another team', CART, { metadata: { labels: { team: 'backend' } } }),
    deletes('a person deletes the Prometheus', PROMETHEUS),
    creates('a person creates the Prometheus again', PROMETHEUS, {
      spec: { serviceMonitorSelector: { matchLabels: { team: 'backend' } } },
    }),
  ],
};

test('`prometheus` reaches the same final state in every order of events', EXPLORING, async () => {
  expect(await explored(scenario)).toMatchObject({ scenario: 'prometheus' });
});
