var {area, bounds: {center = 1}, depth: [edges, , ...faces]} = grid, [height, inner = 2] = joints;
[area.bounds, center[0]] = depth;
({area, bounds: center.depth} = edges);
for (let [keys, v] of mapping) {}
function nodes({origin, point = 1}, [quad]) {}