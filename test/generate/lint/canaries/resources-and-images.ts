/** Overlays with wrong limits of memory and CPU, or with images that are not fixed. */
import { plain } from '../good.ts';
import { type Canary, OPERATOR, PROXY } from './canary.ts';

export const RESOURCES_AND_IMAGES: readonly Canary[] = [
  {
    rule: 'memory-limits',
    does: 'sets no memory limit',
    at: `${OPERATOR}.resources.limits.memory`,
    broken: () => plain().remove('operator.resources.limits'),
  },
  {
    rule: 'memory-limits',
    does: 'requests no CPU',
    at: `${OPERATOR}.resources.requests.cpu`,
    level: 'warning',
    broken: () => plain().remove('operator.resources.requests.cpu'),
  },
  ...['128MiB', '1GiB', '96M'].map((value) => ({
    rule: 'proxy-memory-headroom',
    does: `lets kubectl use ${value} of 128Mi`,
    at: `${PROXY}.env[GOMEMLIMIT]`,
    broken: () => plain().set('proxy.env.1.value', value),
  })),
  {
    rule: 'proxy-memory-headroom',
    does: 'does not tell kubectl its limit',
    at: `${PROXY}.env[GOMEMLIMIT]`,
    level: 'warning',
    broken: () => plain().set('proxy.env.1', { name: 'OTHER', value: '' }),
  },
  {
    rule: 'operator-memory-limit',
    does: 'has a limit of 256Mi for 50,000 small objects',
    at: `${OPERATOR}.resources.limits.memory`,
    level: 'warning',
    says: 'set 384Mi or more',
    broken: plain,
    caches: { objects: 50_000, bytes: 39_000_000 },
  },
  {
    rule: 'operator-memory-limit',
    does: 'leaves to Node a heap that is too small for 2 GB',
    at: `${OPERATOR}.env[NODE_OPTIONS]`,
    level: 'warning',
    says: 'set --max-old-space-size=',
    broken: () => plain().set('operator.resources.limits.memory', '16Gi'),
    caches: { objects: 30_000, bytes: 2_000_000_000 },
  },
  {
    rule: 'proxy-cpu-limit',
    does: 'throttles the ambassador',
    at: `${PROXY}.resources.limits.cpu`,
    level: 'warning',
    broken: () => plain().set('proxy.resources.limits.cpu', '100m'),
  },
  ...['registry.example:5000/op', 'op:latest', 'op:latest@sha256:short'].map((image) => ({
    rule: 'fixed-images',
    does: `runs ${image}`,
    at: `${OPERATOR}.image`,
    broken: () => plain().set('operator.image', image),
  })),
  {
    rule: 'fixed-images',
    does: 'names an image by a tag',
    at: `${PROXY}.image`,
    level: 'warning',
    broken: () => plain().set('proxy.image', 'chancery-proxy:0.1.0'),
  },
];
