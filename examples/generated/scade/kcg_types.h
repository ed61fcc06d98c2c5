/* $********** SCADE Suite KCG 32-bit 6.6 **********
** The types of the generated code
*************************************************$ */
#ifndef _KCG_TYPES_H_
#define _KCG_TYPES_H_

#include "stddef.h"

#define KCG_MAPW_CPY

#ifndef kcg_bool
#define kcg_bool kcg_bool
typedef unsigned char kcg_bool;
#endif /* kcg_bool */

#ifndef kcg_size
#define kcg_size kcg_size
typedef ptrdiff_t kcg_size;
#endif /* kcg_size */

#ifndef kcg_int32
#define kcg_int32 kcg_int32
typedef signed int kcg_int32;
#endif /* kcg_int32 */

#ifndef kcg_lit_int32
#define kcg_lit_int32(kcg_C1) ((kcg_int32) (kcg_C1))
#endif /* kcg_lit_int32 */

#ifndef kcg_true
#define kcg_true ((kcg_bool) 1)
#endif /* kcg_true */

#ifndef kcg_false
#define kcg_false ((kcg_bool) 0)
#endif /* kcg_false */

/* Lift/SM1: */
typedef enum SSM_TR_SM1_e { SSM_TR_no_trans_SM1, SSM_TR_Idle_Moving_1_SM1, SSM_TR_Moving_Open_1_SM1, SSM_TR_Open_Idle_1_SM1 } SSM_TR_SM1;
/* Lift/SM1: */
typedef enum SSM_ST_SM1_e { SSM_st_Idle_SM1, SSM_st_Moving_SM1, SSM_st_Open_SM1 } SSM_ST_SM1;
/* Door/Command */
typedef enum kcg_tag_Command { NONE, OPEN, CLOSE } Command;

#endif /* _KCG_TYPES_H_ */
