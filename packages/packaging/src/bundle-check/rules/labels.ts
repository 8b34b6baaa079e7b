import type { BundleRule } from '../bundle-finding.ts';
import { fieldsAt } from '../fields.ts';

const LABEL = /^operatorframework\.io\/(arch|os)\.(.*)$/;

/** Go's names of the platforms that Kubernetes nodes can have. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  arch: ['386', 'amd64', 'arm', 'arm64', 'loong64', 'mips64le', 'ppc64le', 'riscv64', 's390x'],
  os: ['linux', 'windows'],
};

/**
 * The labels with which catalogs select operators for the platforms of nodes. The rule does not
 * check whether the images support these platforms.
 */
export const platformLabels: BundleRule = {
  id: 'platform-label',
  check({ csv: { fields } }) {
    return Object.entries(fieldsAt(fields, 'metadata', 'labels')).flatMap(([label, value]) => {
      const [, what = '', name = ''] = LABEL.exec(label) ?? [];
      if (what === '') return [];
      const path = `metadata.labels[${label}]`;
      const known = KNOWN[what] ?? [];
      if (!known.includes(name)) {
        const wrong = `names no ${what} that Kubernetes has nodes of`;
        return [{ path, wrong, todo: `write one of ${known.join(', ')}` }];
      }
      if (value === 'supported') return [];
      const wrong = `is ${JSON.stringify(value)}, and catalogs look for "supported"`;
      return [{ path, wrong, todo: 'write "supported", or leave the label out' }];
    });
  },
};
