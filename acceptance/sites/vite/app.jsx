import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { createBrowserRouter, createHashRouter, Link } from 'react-router';
import { RouterProvider } from 'react-router/dom';
import './common/style.css';
import tide from './common/tide.svg?no-inline';

function First() {
  const [count, setCount] = useState(0);
  return (
    <>
      <h1>Tides</h1>
      <button type="button" id="count" onClick={() => setCount(count + 1)}>
        {count}
      </button>
      <img src={tide} alt="Tide" />
      <Link to="/second">Second</Link>
    </>
  );
}

const createRouter = import.meta.env.VITE_ROUTES === 'hash' ? createHashRouter : createBrowserRouter;
const router = createRouter([
  { path: '/', element: <First /> },
  { path: '/second', element: <h1>Second</h1> },
]);
createRoot(document.getElementById('app')).render(<RouterProvider router={router} />);
