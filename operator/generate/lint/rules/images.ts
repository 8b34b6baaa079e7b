import type { Problem, Rule } from '../diagnostic.ts';

export const fixedImages: Rule = {
  id: 'fixed-images',
  check: ({ containers }) =>
    containers.flatMap(({ container, path }): readonly Problem[] => {
      const { image = '' } = container;
      if (/@sha256:[0-9a-f]{64}$/.test(image)) return [];
      const tag = /:([^:/@]+)$/.exec(image.split('@', 1)[0] ?? '')?.[1];
      const where = { path: `${path}.image` };
      const todo = 'name the digest, which kustomize sets by `images: [{ name, digest }]`';
      if (tag === undefined || tag === 'latest') {
        const wrong = tag === undefined ? `${image} has no tag` : `${image} is the latest`;
        const why = 'what runs is another program after the next restart';
        return [{ ...where, wrong, why, todo }];
      }
      const why = 'a tag can be moved to another program';
      return [{ ...where, level: 'warning', wrong: `${image} has a tag and no digest`, why, todo }];
    }),
};
