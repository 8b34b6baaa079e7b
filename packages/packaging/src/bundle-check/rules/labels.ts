import type { BundleRule } from '../bundle-finding.ts';
import { fieldsAt } from '../fields.ts';

const LABEL = /^operatorframework\.io\/(arch|os)\.(.*)$/;

/** Platforms of Go programs for which Kubernetes has nodes. */
const KNOWN: Readonly<Record<string, readonly string[]>> = {
  arch: ['386', 'amd64', 'arm', 'arm64', 'loong64', 'mips64le', 'ppc64le', 'riscv64', 's390x'],
  os: ['linux', 'windows'],
};

/**
 * The labels by which catalogs filter for nodes. Whether the images support these platforms is not
 * checked.
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
