import { byId } from './dom.js';

// The picture fills its frame. A mouse or a finger drags it there, the wheel and keys zoom it, and names are found in it.
const [frame, sought, found, whole] = byId('picture', 'sought', 'found', 'whole');
const svg = frame.querySelector('svg');
const view = svg.viewBox.baseVal;
const { width, height } = view;

const pointAt = (x, y) => new DOMPoint(x, y).matrixTransform(svg.getScreenCTM().inverse());

/** Zooms around a point of the picture. */
function zoom(factor, { x, y } = new DOMPoint(view.x + view.width / 2, view.y + view.height / 2)) {
  const by = Math.min(2 * width, Math.max(200, view.width / factor)) / view.width;
  const place = { x: x + (view.x - x) * by, y: y + (view.y - y) * by };
  Object.assign(view, { ...place, width: view.width * by, height: view.height * by });
}

/** Moves the picture until an element stands in the middle, or begins at the edge if it is higher than the frame. */
function show(element) {
  const box = element.getBoundingClientRect();
  const shown = Math.min(box.height, frame.clientHeight - 40);
  const { x, y } = pointAt(box.left + box.width / 2, box.top + shown / 2);
  Object.assign(view, { x: x - view.width / 2, y: y - view.height / 2 });
}

frame.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    zoom(2 ** (event.deltaY / -300), pointAt(event.clientX, event.clientY));
  },
  { passive: false },
);
let dragged = 0;
frame.addEventListener('pointerdown', () => (dragged = 0));
frame.addEventListener('pointermove', ({ buttons, movementX, movementY }) => {
  if (buttons !== 1) return;
  dragged += Math.hypot(movementX, movementY);
  const { a: scale } = svg.getScreenCTM();
  Object.assign(view, { x: view.x - movementX / scale, y: view.y - movementY / scale });
});
frame.addEventListener('dragstart', (event) => event.preventDefault());
// What is dragged from a name is no click on it.
frame.addEventListener('click', (event) => dragged > 4 && event.preventDefault());
const moves = { ArrowLeft: [-0.1, 0], ArrowRight: [0.1, 0], ArrowUp: [0, -0.1], ArrowDown: [0, 0.1] };
frame.addEventListener('keydown', (event) => {
  if (event.key === '+' || event.key === '-') zoom(event.key === '+' ? 1.25 : 0.8);
  if (moves[event.key] === undefined) return;
  event.preventDefault();
  const [x, y] = moves[event.key];
  Object.assign(view, { x: view.x + x * view.width, y: view.y + y * view.height });
});
for (const button of document.querySelectorAll('[data-zoom]'))
  button.addEventListener('click', () => zoom(Number(button.dataset.zoom)));
whole.addEventListener('click', () => Object.assign(view, { x: 0, y: 0, width, height }));

const names = [...svg.querySelectorAll('.name')];
let matches = [];
sought.addEventListener('input', () => {
  const text = sought.value.trim().toLowerCase();
  matches = names.filter((name) => text !== '' && name.textContent.toLowerCase().includes(text));
  for (const name of names) name.classList.toggle('is-found', matches.includes(name));
  found.textContent = text === '' ? '' : `${matches.length} found. Enter shows the next.`;
});
sought.addEventListener('keydown', (event) => {
  if (event.key !== 'Enter' || matches.length === 0) return;
  matches.push(matches.shift());
  for (const name of names) name.classList.toggle('is-current', name === matches.at(-1));
  show(matches.at(-1));
});

const showTarget = () => show(svg.querySelector(':target') ?? svg.querySelector('#picture-Query'));
addEventListener('hashchange', showTarget);
svg.style.cssText = 'width: 100%; height: 100%';
Object.assign(view, { width: frame.clientWidth, height: frame.clientHeight });
showTarget();
