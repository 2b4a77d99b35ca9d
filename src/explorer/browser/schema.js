import { byId } from './dom.js';

// The picture scrolls within its frame. A mouse drags it there, wheel and buttons zoom it.
const [frame, whole] = byId('picture', 'whole');
const svg = frame.querySelector('svg');
const { width, height } = svg.viewBox.baseVal;
let scale = 1;

/** Zooms to a scale; what stands at a point of the frame, which is its middle as a rule, stays there. */
function zoom(to, x = frame.clientWidth / 2, y = frame.clientHeight / 2) {
  const by = Math.min(4, Math.max(0.1, to)) / scale;
  const [left, top] = [(frame.scrollLeft + x) * by - x, (frame.scrollTop + y) * by - y];
  scale *= by;
  svg.style.zoom = scale;
  frame.scrollTo(left, top);
}

frame.addEventListener(
  'wheel',
  (event) => {
    event.preventDefault();
    const { left, top } = frame.getBoundingClientRect();
    zoom(scale * 2 ** (event.deltaY / -300), event.clientX - left, event.clientY - top);
  },
  { passive: false },
);
let dragged = 0;
frame.addEventListener('pointerdown', () => (dragged = 0));
frame.addEventListener('pointermove', ({ buttons, pointerType, movementX, movementY }) => {
  // A finger scrolls by itself.
  if (buttons !== 1 || pointerType !== 'mouse') return;
  dragged += Math.hypot(movementX, movementY);
  frame.scrollBy(-movementX, -movementY);
});
frame.addEventListener('dragstart', (event) => event.preventDefault());
// What is dragged from a name is no click on it.
frame.addEventListener('click', (event) => dragged > 4 && event.preventDefault());
for (const button of document.querySelectorAll('[data-zoom]'))
  button.addEventListener('click', () => zoom(scale * Number(button.dataset.zoom)));
// An address may name another type.
const [from, to] = [frame, svg.querySelector('#picture-Query')].map((element) => element.getBoundingClientRect());
if (location.hash === '') frame.scrollTo(to.x - from.x - 16, to.y - from.y - 16);
whole.addEventListener('click', () => zoom(Math.min(frame.clientWidth / width, frame.clientHeight / height)));
