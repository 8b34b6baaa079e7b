/** A change of the good bundle, and what is found then. */
import type { BundleCheckOptions } from '../../src/bundle-check/bundle-finding.ts';
import type { BundleParts } from './good-bundle.ts';

export const ANNOTATION: string = 'metadata.annotations';
export const OWNED: string = 'spec.customresourcedefinitions.owned';
export const RULES: string = 'spec.install.spec.permissions[0].rules';
export const CONTAINERS: string = 'spec.install.spec.deployments[0].spec.template.spec.containers';

export interface Change {
  readonly what: string;
  /** Of the list of validators in the framework of OLM; `extra` is ours. */
  readonly validator: number | 'extra' | 'OLM v1';
  readonly change: (parts: BundleParts) => void;
  readonly finds: readonly string[];
  readonly options?: BundleCheckOptions;
}

export function object(apiVersion: string, kind: string, name: string): Record<string, unknown> {
  return { apiVersion, kind, metadata: { name } };
}
