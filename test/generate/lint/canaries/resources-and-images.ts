/** Overlays with wrong limits of memory and CPU, or with images that are not fixed. */
import { plain } from '../good.ts';
import { type Canary, OPERATOR, PROXY } from './canary.ts';

export const RESOURCES_AND_IMAGES: readonly Canary[] = [
  {
    rule: 'memory-limits',
    does: 'sets no memory limit of the operator',
    at: `${OPERATOR}.resources.limits.memory`,
    broken: () => plain().remove('operator.resources.limits'),
  },
  {
    rule: 'memory-limits',
    does: 'requests no CPU for the operator',
    at: `${OPERATOR}.resources.requests.cpu`,
    level: 'warning',
    broken: () => plain().remove('operator.resources.requests.cpu'),
  },
  ...['128MiB', '1GiB', '96M'].map((value) => ({
    rule: 'proxy-memory-headroom',
    does: `sets GOMEMLIMIT to ${value} with a memory limit of 128Mi`,
    at: `${PROXY}.env[GOMEMLIMIT]`,
    broken: () => plain().set('proxy.env.1.value', value),
  })),
  {
    rule: 'proxy-memory-headroom',
    does: 'does not set GOMEMLIMIT',
    at: `${PROXY}.env[GOMEMLIMIT]`,
    level: 'warning',
    broken: () => plain().set('proxy.env.1', { name: 'OTHER', value: '' }),
  },
  {
    rule: 'operator-memory-limit',
    does: 'has a memory limit of 256Mi for caches of 50,000 small objects',
    at: `${OPERATOR}.resources.limits.memory`,
    level: 'warning',
    says: 'set 384Mi or more',
    broken: plain,
    caches: { objects: 50_000, bytes: 39_000_000 },
  },
  {
    rule: 'operator-memory-limit',
    does: 'leaves the default heap of Node for caches of 2 GB',
    at: `${OPERATOR}.env[NODE_OPTIONS]`,
    level: 'warning',
    says: 'set --max-old-space-size=',
    broken: () => plain().set('operator.resources.limits.memory', '16Gi'),
    caches: { objects: 30_000, bytes: 2_000_000_000 },
  },
  {
    rule: 'proxy-cpu-limit',
    does: 'has a CPU limit of the ambassador',
    at: `${PROXY}.resources.limits.cpu`,
    level: 'warning',
    broken: () => plain().set('proxy.resources.limits.cpu', '100m'),
  },
  ...['registry.example:5000/op', 'op:latest', 'op:latest@sha256:short'].map((image) => ({
    rule: 'fixed-images',
    does: `uses the image ${image}`,
    at: `${OPERATOR}.image`,
    broken: () => plain().set('operator.image', image),
  })),
  {
    rule: 'fixed-images',
    does: 'names the image of the ambassador by a tag',
    at: `${PROXY}.image`,
    level: 'warning',
    broken: () => plain().set('proxy.image', 'chancery-proxy:0.1.0'),
  },
];
