/**
 * The modules of this package that the command `chancery` loads: `generate chart`, `bundle`,
 * `catalog` and `policies`, `check bundle` and `crd`, and `plugin`. Each module is loaded when it
 * is used.
 *
 * @module
 */

import type { PackagingPackage } from 'chancery/internal';

export const generateCatalog: PackagingPackage['generateCatalog'] = async (args, io) =>
  (await import('./catalog/generate-catalog.ts')).generateCatalog(args, io);

export const packageFiles: PackagingPackage['packageFiles'] = async (...call) =>
  (await import('./generate/package-files.ts')).packageFiles(...call);

export const packageStates: PackagingPackage['packageStates'] = async (...call) =>
  (await import('./generate/package-files.ts')).packageStates(...call);

export const policyFiles: PackagingPackage['policyFiles'] = async (...call) =>
  (await import('./policies/policies.ts')).policyFiles(...call);

export const policyObjects: PackagingPackage['policyObjects'] = async (...call) =>
  (await import('./policies/policies.ts')).policyObjects(...call);

export const checkBundle: PackagingPackage['checkBundle'] = async (args, io) =>
  (await import('./check/check-bundle.ts')).checkBundle(args, io);

export const checkCrd: PackagingPackage['checkCrd'] = async (args, io) =>
  (await import('./check/check-crd.ts')).checkCrd(args, io);

export { plugin } from './plugin/plugin.ts';
