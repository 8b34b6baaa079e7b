/** Which definitions the model of an operator has: those of the declared resources, unless somebody else has them. */
import { expect, test } from 'vitest';
import { operatorModel } from '../../operator/generate/manifests/operator-model.ts';
import { SITE, WEBSITE } from './support/trees.ts';

const program = { words: ['metacontroller', 'controllers.yaml'] };

function definitionsWith(options: object): readonly string[] {
  const model = operatorModel([SITE], { ...WEBSITE.options, ...options });
  return model.definitions.map(({ metadata }) => metadata.name);
}

test("an operator's manifests contain the definitions of its resources, even if another command runs the operator", () => {
  expect(definitionsWith({})).toEqual(['websites.example.dev']);
  expect(definitionsWith({ program })).toEqual(['websites.example.dev']);
});

test("no operator's manifests contain definitions that several operators share, or that the operator itself installs", () => {
  expect(definitionsWith({ program: { ...program, sharesDefinitions: true } })).toEqual([]);
  expect(definitionsWith({ installCrds: true })).toEqual([]);
});
