// SPDX-License-Identifier: GPL-2.0
#include "result/compactness_map.h"

size_t compact_map_boundary(const struct compactness_map *map, uint64_t stride)
{
	if (!map->ways || !stride)
		return 0;
	return map->ways * (size_t)((map->way_bytes + stride - 1) / stride);
}
