import type { BundleRule } from '../bundle-finding.ts';
import { textAt, valueAt } from '../fields.ts';
import { semanticVersion } from '../semantic-version.ts';

/** Checks the minimum Kubernetes version of the operator. */
export const minKubeVersion: BundleRule = {
  id: 'min-kube-version',
  check({ csv: { fields } }) {
    const path = 'spec.minKubeVersion';
    const value = valueAt(fields, ['spec', 'minKubeVersion']) ?? '';
    const todo = 'write three numbers, such as 1.30.0';
    if (String(value).trim() === '') {
      const wrong = 'is missing, so OLM installs the operator on any Kubernetes';
      return [{ level: 'warning', path, wrong, todo }];
    }
    if (semanticVersion(textAt(fields, 'spec', 'minKubeVersion')) !== undefined) return [];
    return [{ path, wrong: `is ${JSON.stringify(value)}, which is no version`, todo }];
  },
};

/** Checks the version of the operator. */
export const version: BundleRule = {
  id: 'version',
  check({ csv: { fields } }) {
    const path = 'spec.version';
    const text = textAt(fields, 'spec', 'version');
    const parsed = semanticVersion(text);
    const todo = 'write three numbers, such as 1.2.3, as a quoted text';
    if (parsed === undefined) {
      const value = JSON.stringify(valueAt(fields, ['spec', 'version']) ?? '');
      return [{ path, wrong: `is ${value}, which is no version`, todo }];
    }
    const isSet = parsed.numbers.some((number) => number > 0) || parsed.prerelease.length > 0;
    return isSet ? [] : [{ path, wrong: 'is 0.0.0, which OLM takes for none', todo }];
  },
};
