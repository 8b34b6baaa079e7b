import type { BundleRule } from '../bundle-finding.ts';
import { fieldsAt } from '../fields.ts';

const KEYS = [
  'olm.operatorGroup',
  'olm.operatorNamespace',
  'olm.targetNamespaces',
  'olm.providedAPIs',
  'olm.skipRange',
];

/** Reports annotations whose name differs only in upper and lower case from a name that OLM reads. */
export const annotationNames: BundleRule = {
  id: 'annotation-name',
  check({ csv: { fields } }) {
    return Object.keys(fieldsAt(fields, 'metadata', 'annotations')).flatMap((given) => {
      const path = `metadata.annotations[${given}]`;
      const meant = KEYS.find((key) => key.toLowerCase() === given.toLowerCase());
      if (meant !== undefined && meant !== given) {
        return [
          { path, wrong: 'is ignored because of its upper and lower case', todo: `write ${meant}` },
        ];
      }
      if (given !== 'olm.properties') return [];
      const wrong = 'is an old place for properties, and catalogs may ignore it';
      return [
        { level: 'warning' as const, path, wrong, todo: 'move them to metadata/properties.yaml' },
      ];
    });
  },
};
