/**
 * The elements of the page. Text of a record is set through `textContent` only, so that nothing of it is parsed as
 * markup.
 */

/**
 * @template {HTMLElement} [Type=HTMLElement]
 * @param {string} id
 * @returns {Type}
 */
export function byId(id) {
  const element = document.getElementById(id);
  if (element === null) throw new Error(`the page has no element #${id}`);
  return /** @type {Type} */ (element);
}

/**
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {string} [text]
 * @param {string} [className]
 * @returns {HTMLElementTagNameMap[Tag]}
 */
export function make(tag, text = '', className = '') {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className !== '') element.className = className;
  return element;
}

/**
 * @param {string} text
 * @param {() => void} press
 * @param {string} [className]
 */
export function button(text, press, className = '') {
  const element = make('button', text, className);
  element.type = 'button';
  element.addEventListener('click', press);
  return element;
}

/**
 * @param {readonly (readonly [name: string, value: string])[]} facts
 */
export function factList(facts) {
  const list = make('dl');
  for (const [name, value] of facts) list.append(make('dt', name), make('dd', value));
  return list;
}
