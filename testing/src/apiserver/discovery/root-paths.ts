import { groupVersionPath } from 'chancery/internal-objects';
import type { Json } from '../objects/metadata.ts';
import type { Registry } from '../registry/registry.ts';
import { checkPaths } from './health.ts';
import { compareText } from './version-order.ts';

const OTHER_PATHS: readonly string[] = [
  '/.well-known/openid-configuration',
  '/api',
  '/apis',
  '/metrics',
  '/openapi/v2',
  '/openapi/v3',
  '/openapi/v3/',
  '/openid/v1/jwks',
  '/version',
];

/** The answer to `/`: the paths that the server serves. */
export function rootPaths(registry: Registry): Json {
  const paths = new Set([...OTHER_PATHS, ...checkPaths()]);
  for (const served of registry.all()) {
    paths.add(groupVersionPath(served));
    if (served.group !== '') paths.add(`/apis/${served.group}`);
  }
  return { paths: [...paths].toSorted(compareText) };
}
