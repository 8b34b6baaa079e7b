import type { BundleRule } from '../bundle-finding.ts';
import { listAt, textAt } from '../fields.ts';
import { isImageReference } from '../image-reference.ts';
import { deploymentsIn } from '../install.ts';

/** Checks the entries of `spec.relatedImages`, which are the images that a mirror copies. */
export const relatedImages: BundleRule = {
  id: 'related-images',
  check({ csv: { fields } }) {
    return listAt(fields, 'spec', 'relatedImages').flatMap((related, at) => {
      const image = textAt(related, 'image');
      if (isImageReference(image)) return [];
      return [
        {
          path: `spec.relatedImages[${at}].image`,
          wrong: `is ${JSON.stringify(image)}, which is no name of an image`,
          todo: 'write registry/name:tag or registry/name@sha256:digest',
        },
      ];
    });
  },
};

/**
 * Images of containers must be listed in `spec.relatedImages`. A cluster without internet access
 * does not have any other image.
 */
export const listedImages: BundleRule = {
  id: 'listed-images',
  check(bundle) {
    const related = listAt(bundle.csv.fields, 'spec', 'relatedImages');
    if (related.length === 0) return [];
    const listed = new Set(related.map((each) => textAt(each, 'image')));
    return deploymentsIn(bundle).flatMap((deployment, at) =>
      ['initContainers', 'containers'].flatMap((field) =>
        listAt(deployment, 'spec', 'template', 'spec', field)
          .filter((container) => !listed.has(textAt(container, 'image')))
          .map((container) => ({
            level: 'warning' as const,
            path: `spec.install.spec.deployments[${at}].spec.template.spec.${field}[${textAt(container, 'name')}].image`,
            wrong: `is ${JSON.stringify(textAt(container, 'image'))}, which is not among spec.relatedImages, so mirrors leave it out`,
            todo: 'add it',
          })),
      ),
    );
  },
};
