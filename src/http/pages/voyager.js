/** A letter of the picture is 16 units high: at this size, 13 pixels. */
const legible = 0.8;
const margin = 24;

/** Makes letters smaller where another font stands in for Helvetica, whose alphabet is 12.726 letters' heights long. */
function fitLetters() {
  const context = document.createElement('canvas').getContext('2d');
  context.font = '100px helvetica';
  const width = context.measureText('abcdefghijklmnopqrstuvwxyz').width / 100;
  document.documentElement.style.setProperty('--letters', Math.min(1, 12.726 / width).toFixed(3));
}

/** Gives names to what Voyager leaves without, and lets the keyboard reach what it made for the mouse alone. */
function complete() {
  for (const button of document.querySelectorAll('.eye-button:not([aria-label])')) {
    const type = button.parentElement.querySelector('.type-name')?.textContent ?? button.parentElement.title;
    button.setAttribute('aria-label', `Show ${type} in the picture`);
  }
  name('.root-selector [role="combobox"]', 'Type that the picture begins with');
  name('.search-box input', 'Search');
  name('.search-box button', 'Clear the search');
  name('.closeButton', 'Close');
  name('[role="listbox"]', 'Types');
  name('.MuiPopover-paper', 'Choice of a type');
  for (const paper of document.querySelectorAll('.MuiPopover-paper:not([role])')) paper.setAttribute('role', 'dialog');
  for (const heading of document.querySelectorAll('.type-info-popover h3')) heading.ariaLevel = '2';
  for (const link of document.querySelectorAll('a:is(.type-name, .field-name):not([role]), .back:not([role])')) {
    link.setAttribute('role', 'button');
    link.tabIndex = 0;
  }
}

function name(selector, text) {
  for (const element of document.querySelectorAll(`${selector}:not([aria-label])`))
    element.setAttribute('aria-label', text);
}

function press(event) {
  if (event.key !== 'Enter' || !event.target.matches('[role="button"]:is(a, span)')) return;
  event.preventDefault();
  event.target.click();
}

let shown = null;

/** Shows the first type of a new picture, and what it leads to, at a size that can be read. The button for resetting shows all. */
function begin() {
  const picture = document.querySelector('#voyager svg:has(.svg-pan-zoom_viewport)');
  if (picture === null || picture === shown) return;
  shown = picture;
  // Voyager sets the first size after this.
  requestAnimationFrame(() => requestAnimationFrame(() => enlarge(picture)));
}

function enlarge(picture) {
  const first = picture.querySelector('.node');
  if (first === null) return;
  const [frame, box] = [picture, first].map((element) => element.getBoundingClientRect());
  // The picture grows by this with each turn of the wheel, whose size is the largest that is not evened out.
  const turn = -0.29;
  const growth = 1.25 ** -turn;
  const turns = Math.ceil(Math.log(legible / first.getScreenCTM().a) / Math.log(growth));
  if (turns <= 0) return;
  const factor = growth ** turns;
  // The one point that stays where it is.
  const fixed = (from, to) => (factor * from - to) / (factor - 1);
  const clientX = fixed(box.left, frame.left + margin);
  const clientY = fixed((box.top + box.bottom) / 2, (frame.top + frame.bottom) / 2);
  const wheel = { deltaY: turn, deltaMode: WheelEvent.DOM_DELTA_LINE, clientX, clientY, cancelable: true };
  for (let count = 0; count < turns; count++) picture.dispatchEvent(new WheelEvent('wheel', wheel));
}

new MutationObserver(() => {
  complete();
  begin();
}).observe(document.body, { childList: true, subtree: true });
document.addEventListener('keydown', press);
fitLetters();
